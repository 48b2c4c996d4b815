import { readPage } from './shell-page.js';

/** One row of the error table in docs/reference/sign-in-errors.md. */
export interface PageRefusal {
  readonly endpoints: readonly string[];
  readonly status: number;
  readonly errors: readonly string[];
}

export function quotedWords(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, word]) => word!);
}

export function pageRefusals(): PageRefusal[] {
  const rows = readPage('reference/sign-in-errors.md')
    .split('\n')
    .filter((line) => /^\|[^|]*\| +\d{3} /.test(line));
  return rows.map((line) => {
    const [, endpoints, status, errors] = line.split('|');
    return { endpoints: quotedWords(endpoints!), status: Number(status), errors: quotedWords(errors!) };
  });
}
