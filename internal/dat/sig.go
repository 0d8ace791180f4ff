package dat

// MatrixDoc is the tables as data.
type MatrixDoc struct{}

// Matrix gives the tables.
func Matrix() MatrixDoc { return MatrixDoc{} }

// IAAttributeNames are the names of the mask.
func IAAttributeNames() []string { return nil }

// ProviderAttributeNames are the names of the mask.
func ProviderAttributeNames() []string { return nil }
