/** Bounds of a definition set; whatever is beyond them is a fault, never a slow answer. */
export const SCHEMA_LIMITS = {
  schemas: 2_000,
  fields: 300,
  /** Types that a field of files takes. */
  fileTypes: 50,
  /** Sizes of pictures that a field names. */
  pictureSizes: 20,
  /** Pixels of a side of a picture that is made. */
  pictureSide: 4_096,
  indexes: 32,
  indexColumns: 16,
  enums: 500,
  /** Bytes of one enum value, in UTF-8. */
  enumValueBytes: 255,
  /** Characters of a label. */
  label: 255,
  /** Characters of an expression. */
  expression: 4_096,
  /** Bytes of an identifier: the limit of PostgreSQL. */
  identifierBytes: 63,
  /** Largest `size` of a string field, in characters. */
  stringSize: 65_535,
  /** Largest `size` of a text (characters) or bytes (bytes) field. */
  textSize: 1_073_741_823,
  /** `size` of a string field that names none. */
  defaultStringSize: 255,
  /** Levels of nesting in `default` and `renderer`. */
  jsonDepth: 32,
  /** Alternatives that a message lists. */
  listedNames: 25,
} as const;
