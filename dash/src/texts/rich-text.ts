import { createElement, Fragment, type ReactNode } from 'react';

/** Joins text and elements in the word order of the language. */
export function richText(...parts: ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...parts);
}

/** Selects the plural form of a count (Unicode TR35, plural rules). */
export function pluralsOf(language: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  return (count, forms) => (forms[rules.select(count)] ?? forms.other).replace('#', numbers.format(count));
}

/** Texts by plural category; `#` is replaced with the count. */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };
