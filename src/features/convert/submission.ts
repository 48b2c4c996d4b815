import type { Conversion } from './draft/conversion.types.js';

/** Returns the definitions of a conversion as they are submitted: each with its renames beside it. */
export function submissionOf({ schemas, renames }: Conversion): readonly object[] {
  return schemas.map((schema) => {
    const { [schema.name]: own } = renames;
    return own === undefined ? schema : { ...schema, renames: own };
  });
}

/** Returns the definitions of a conversion as schema files, one for each. */
export function definitionFiles(conversion: Conversion): readonly { readonly name: string; readonly text: string }[] {
  return submissionOf(conversion).map((definition, at) => ({
    name: `${conversion.schemas[at]?.name}.json`,
    text: `${JSON.stringify(definition, null, 2)}\n`,
  }));
}
