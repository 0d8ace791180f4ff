/* eslint-disable */
export type paths = any;
