/** Measures prose: the density of patterns that make texts hard to read, and the length of sentences. See `scripts/texts.mjs`. */

/** A person, a group or an account, after which `who` begins an ordinary relative clause. */
const PERSON =
  'users?|callers?|accounts?|people|persons?|administrators?|owners?|members?|clients?|developers?|operators?|editors?|authors?|readers?|guests?|visitors?|others|anyone|everyone|teams?|attackers?';

/** Occurrences per 1,000 words that a text may have at most. @type {Record<string, { pattern: RegExp, target: number }>} */
export const PATTERNS = {
  what: { pattern: /\bwhat\s+(?!(?:kind|kinds|else|to)\b)[a-z]/gi, target: 0.3 },
  tell: { pattern: /\b(?:tells?|told)\b/gi, target: 0.3 },
  who: { pattern: new RegExp(`(?<!\\b(?:${PERSON}),?\\s+)\\b(?:who|whoever|whom)\\b`, 'gi'), target: 0.3 },
  stand: { pattern: /\bstands?\b(?![- ](?:for|alone|by)\b)/gi, target: 0.3 },
  'of its own': { pattern: /\bof (?:its|their|his|her|your|our|one's) own\b/gi, target: 0.2 },
};
export const MAX_MEAN_WORDS = 15;
export const MAX_WORDS = 30;
/** Percentage of sentences over {@link MAX_WORDS}. */
export const MAX_LONG_SENTENCES = 3;

/**
 * Counts words, patterns and sentence lengths.
 *
 * @param {string[]} paragraphs plain text without mark-up
 */
export function measure(paragraphs) {
  const sentences = paragraphs.flatMap(sentencesOf).filter((sentence) => !sentence.endsWith('?'));
  const words = total(sentences.map(wordsOf));
  // Headings, labels and table cells without a full stop are no sentences.
  const lengths = sentences.filter((sentence) => /[.!:]["')]?$/.test(sentence)).map(wordsOf);
  const found = Object.entries(PATTERNS).map(([name, { pattern }]) => [
    name,
    sentences.flatMap((sentence) => sentence.match(pattern) ?? []).length,
  ]);
  return {
    words,
    counts: Object.fromEntries(found),
    meanWords: total(lengths) / Math.max(1, lengths.length),
    longPercent: (100 * lengths.filter((count) => count > MAX_WORDS).length) / Math.max(1, lengths.length),
  };
}

/** Sentences of a paragraph. A colon or semicolon does not end a sentence. @param {string} paragraph */
export function sentencesOf(paragraph) {
  return paragraph
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\b(e\.g|i\.e|etc|vs|approx)\./g, '$1')
    .split(/(?<=[.!?]["')]?)\s+(?=["'(]?[A-Z0-9`])/)
    .map((sentence) => sentence.trim())
    .filter(Boolean);
}

/** @param {number[]} numbers */
function total(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** @param {string} sentence */
function wordsOf(sentence) {
  return sentence.match(/[A-Za-zÀ-ž][A-Za-zÀ-ž'’-]*|\d+/g)?.length ?? 0;
}

/** Replaces code spans and addresses by a placeholder, and removes mark-up. @param {string} text */
function plainText(text) {
  return text
    .replaceAll(/`[^`]*`/g, 'X')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/https?:\/\/\S+/g, 'X')
    .replaceAll(/\{@\w+ ([^}]*)\}/g, 'X')
    .replaceAll(/<[^>\n]*>/g, ' ')
    .replaceAll(/[*_#]{1,3}(?=\S)|(?<=\S)[*_]{1,3}/g, '');
}

/** Paragraphs, list items and table cells of a Markdown page, without code blocks. @param {string} page */
export function markdownParagraphs(page) {
  const blocks = page
    .replaceAll(/^(```|~~~)[\s\S]*?^\1/gm, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=#)|(?<=^#.*)\n/m);
  return blocks
    .flatMap((block) => (/^\s*\|/.test(block) ? tableCells(block) : [block.replace(/^\s*(?:[-*>]|\d+\.|#+) /, '')]))
    .map((text) => plainText(text).trim())
    .filter((text) => /[a-z]{2}/.test(text));
}

/** @param {string} table */
function tableCells(table) {
  return table
    .split('\n')
    .filter((line) => !/^\s*\|[-:| ]+$/.test(line))
    .flatMap((line) => line.split(/(?<!\\)\|/));
}

const TOKENS =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`|(?<=[=(,:;[!&|?{}\n]\s*|return )\/(?![/*])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g;

/**
 * Splits a source into its comments and its texts. A text is a string of at least four words that is not SQL; adjoining line comments are
 * one paragraph.
 *
 * @param {string} source TypeScript or JavaScript
 */
export function sourceTexts(source) {
  const comments = [];
  const texts = [];
  let end = -1;
  for (const { 0: token, index } of source.matchAll(TOKENS)) {
    if (token.startsWith('//')) {
      const text = token.slice(2);
      if (end >= 0 && /^\n[ \t]*$/.test(source.slice(end, index))) comments[comments.length - 1] += text;
      else comments.push(text);
      end = index + token.length;
    } else if (token.startsWith('/*')) comments.push(...blockParagraphs(token));
    else if (!token.startsWith('/') && isProse(token)) texts.push(plainText(unquote(token)));
  }
  return { comments: comments.map(plainText), texts };
}

/** Names of test cases and their groups, and of browser scenarios. @param {string} source */
export function testNames(source) {
  const calls =
    /(?:\b(?:it|describe)|\))\(\s*(['"`])((?:(?!\1)[^\\\n]|\\.)+)\1,\s*(?:async\s*)?\(|^  '((?:[^'\\\n]|\\.)+)': async \(/gm;
  return [...source.matchAll(calls)].map(([, , name, scenario]) => plainText(name ?? scenario));
}

/** Paragraphs and tags of a block comment; examples are skipped. @param {string} comment */
function blockParagraphs(comment) {
  return comment
    .slice(2, -2)
    .replaceAll(/^[ \t]*\*/gm, '')
    .replaceAll(/```[\s\S]*?```|^ {5,}\S.*$/gm, '')
    .split(/\n\s*\n|\n\s*(?=[-@])/)
    .map((text) => text.replace(/^\s*@(?:param\s+(?:\{[^}]*\}\s+)?\S+|\w+)/, ''));
}

/** @param {string} literal */
function unquote(literal) {
  return literal
    .slice(1, -1)
    .replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'X')
    .replaceAll(/\\n/g, ' ')
    .replaceAll(/\\(.)/g, '$1');
}

/** @param {string} literal */
function isProse(literal) {
  const text = unquote(literal);
  if (
    /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|WHERE|FROM|JOIN|VALUES|DROP|LOCK|SET|RETURNING|CASE|AND|OR|AS|COALESCE)\b/.test(
      text,
    )
  )
    return /[a-z]{3} [a-z]{2,} [a-z]{2,} [a-z]{2,}.*\.$/s.test(text);
  return (text.match(/(?<![\w.$/-])[A-Za-z][a-z]+(?![\w$/=])/g)?.length ?? 0) >= 3 && / [a-z]{2,}/.test(text);
}
