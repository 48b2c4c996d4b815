/** A value in a filter, as JSON has it. */
export type FilterScalar = string | number | boolean;

/** Conditions that hold or do not; the negative operators are their complements. */
export type FilterOperator =
  'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'like' | 'ilike' | 'contains' | 'icontains' | 'null';

/** A filter, read and bounded; its names are not looked up yet. */
export type FilterNode =
  | { readonly kind: 'and' | 'or'; readonly of: readonly FilterNode[] }
  | { readonly kind: 'not'; readonly of: FilterNode }
  | { readonly kind: 'search'; readonly text: string }
  | {
      readonly kind: 'quantified';
      readonly quantifier: 'some' | 'none' | 'every';
      readonly path: readonly string[];
      readonly of: FilterNode;
    }
  | {
      readonly kind: 'condition';
      readonly path: readonly string[];
      readonly operator: FilterOperator;
      /** Several for `in`, none for `null`. */
      readonly values: readonly FilterScalar[];
    };
