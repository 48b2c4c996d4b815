const FIELDS = 30;
const RELATIONS = 2;
const TYPES = ['string', 'int', 'text', 'bool', 'time', 'float64', 'uuid', 'json'];

/**
 * Returns definitions with 30 fields: two relations to other schemas, and the two inverse fields of such relations. Needs at least 8
 * schemas.
 */
export function manySchemas(count) {
  return Array.from({ length: count }, (_, index) => {
    const relations = Array.from({ length: RELATIONS }, (__, n) => {
      const far = 1 + 6 * n;
      return [
        relation(`r${n}`, `s${(index + far) % count}`, { field: `b${n}`, type: 'm2o' }),
        relation(`b${n}`, `s${(index + count - far) % count}`, { field: `r${n}`, type: 'o2m', owner: true }),
      ];
    });
    return schema(`s${index}`, relations.flat());
  });
}

/** Returns another schema with a relation to an existing one. Send it with `back_refs=create`. */
export function oneMore(number) {
  return schema(`more${number}`, [relation('r0', `s${number}`, { field: 'mores', type: 'm2o' })]);
}

function schema(name, relations) {
  const plain = Array.from({ length: FIELDS - relations.length }, (_, index) => {
    return { type: TYPES[index % TYPES.length], name: `f${index}`, optional: true };
  });
  return { name, namespace: `${name}_rows`, label_field: 'f0', fields: [...plain, ...relations] };
}

function relation(name, target, rest) {
  return { type: 'relation', name, optional: true, relation: { schema: target, ...rest } };
}
