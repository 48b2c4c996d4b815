/** A filter of PocketBase: comparisons, joined. */
export type Filter =
  | { readonly kind: 'and'; readonly parts: readonly Filter[] }
  | { readonly kind: 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'compare'; readonly operator: string; readonly left: Operand; readonly right: Operand };

/** One side of a comparison. */
export type Operand =
  | { readonly kind: 'path'; readonly text: string }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number; readonly text: string }
  | { readonly kind: 'word'; readonly value: boolean | null };

interface Token {
  readonly kind: 'join' | 'operator' | 'open' | 'close' | 'operand';
  readonly text: string;
}

const TOKEN =
  /\s*(?:\/\/[^\n]*\n?|(?<join>&&|\|\|)|(?<operator>\?(?:!=|!~|>=|<=|=|~|>|<)|!=|!~|>=|<=|=|~|>|<)|(?<open>\()|(?<close>\))|(?<operand>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|-?\d+(?:\.\d+)?(?![\w.])|@?[A-Za-z_][\w.:]*))/uy;
const DEEPEST = 32;
/** @internal */
const LONGEST = 4_000;

/** Reads a filter; undefined for what is none, and for what is longer or deeper than anybody writes. */
export function parseFilter(text: string): Filter | undefined {
  const tokens = text.length > LONGEST ? undefined : tokensOf(text);
  if (tokens === undefined || tokens.length === 0) return undefined;
  const parser = new Parser(tokens);
  const filter = parser.or(0);
  return filter !== undefined && parser.isDone ? filter : undefined;
}

function tokensOf(text: string): readonly Token[] | undefined {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) return undefined;
    for (const kind of ['join', 'operator', 'open', 'close', 'operand'] as const) {
      const found = groups[kind];
      if (found !== undefined) tokens.push({ kind, text: found });
    }
  }
  return tokens;
}

/** `&&` binds stronger than `||`, as in the SQL that the filter becomes. */
class Parser {
  private at = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  get isDone(): boolean {
    return this.at === this.tokens.length;
  }

  or(depth: number): Filter | undefined {
    return this.joined('or', '||', () => this.joined('and', '&&', () => this.single(depth)));
  }

  private joined(kind: 'and' | 'or', sign: string, next: () => Filter | undefined): Filter | undefined {
    const parts: Filter[] = [];
    do {
      const part = next();
      if (part === undefined) return undefined;
      parts.push(part);
    } while (this.take('join', sign) !== undefined);
    const [only] = parts;
    return parts.length === 1 ? only : { kind, parts };
  }

  private single(depth: number): Filter | undefined {
    if (this.take('open') !== undefined) {
      const inner = depth === DEEPEST ? undefined : this.or(depth + 1);
      return this.take('close') === undefined ? undefined : inner;
    }
    const left = this.take('operand');
    const operator = this.take('operator');
    const right = this.take('operand');
    if (left === undefined || operator === undefined || right === undefined) return undefined;
    return { kind: 'compare', operator, left: operandOf(left), right: operandOf(right) };
  }

  private take(kind: Token['kind'], text?: string): string | undefined {
    const token = this.tokens[this.at];
    if (token?.kind !== kind || (text !== undefined && token.text !== text)) return undefined;
    this.at += 1;
    return token.text;
  }
}

function operandOf(text: string): Operand {
  if (/^["']/.test(text)) return { kind: 'text', value: text.slice(1, -1).replaceAll(/\\(["'\\])/g, '$1') };
  if (/^-?\d/.test(text)) return { kind: 'number', value: Number(text), text };
  const words: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
  return Object.hasOwn(words, text) ? { kind: 'word', value: words[text] ?? null } : { kind: 'path', text };
}
