package rdmatest

var faultCases = []Case{}

var lateCases = []Case{}
