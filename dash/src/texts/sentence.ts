import { createElement, Fragment, type ReactNode } from 'react';

/** Returns a sentence of texts and of what stands among them, in the order that its language wants. */
export function sentence(...parts: ReactNode[]): ReactNode {
  return createElement(Fragment, null, ...parts);
}

/** Chooses the form for a count, by the rules of a language (Unicode TR35, plural rules). */
export function pluralsOf(language: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  return (count, forms) => (forms[rules.select(count)] ?? forms.other).replace('#', numbers.format(count));
}

/** A text for each kind of count that a language tells apart; `#` stands for the count. */
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };
