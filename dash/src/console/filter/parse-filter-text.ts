import {
  type Filter,
  type Group,
  type Json,
  type Member,
  type Test,
  isObject,
  readFilter,
  writeFilter,
} from './filter-tree.js';
import { PLAIN_PATH, PLAIN_VALUE, QUANTIFIER_KEYWORDS, RESERVED, OPERATOR_KEYWORDS } from './filter-keywords.js';

export type TextFault =
  | 'value_expected'
  | 'operator_expected'
  | 'condition_expected'
  | 'bracket_expected'
  | 'unreadable';

export type ReadText =
  | { readonly ok: true; readonly filter: Filter }
  | { readonly ok: false; readonly fault: TextFault; readonly at: number };

/** Parses a filter text: `status = published and (views > 10 or author.name contains "x")`. */
export function parseFilterText(text: string): ReadText {
  if (text.trim() === '') return { ok: true, filter: {} };
  const reader = new TextReader(text);
  try {
    const group = reader.alternatives();
    reader.end();
    return { ok: true, filter: writeFilter(group) };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, fault: error.fault, at: error.index };
    throw error;
  }
}

class Refused extends Error {
  constructor(
    readonly fault: TextFault,
    readonly index: number,
  ) {
    super(fault);
  }
}

class TextReader {
  private at = 0;

  constructor(private readonly text: string) {}

  end(): void {
    this.space();
    if (this.at < this.text.length) throw this.refusal('unreadable');
  }

  alternatives(): Group {
    const groups = [this.group()];
    while (this.keyword('or')) groups.push(this.group());
    return groups.length === 1 ? (groups[0] ?? []) : [{ kind: 'list', mode: '$or', groups }];
  }

  private group(): Group {
    const members = [...this.member()];
    while (this.keyword('and')) members.push(...this.member());
    return unambiguous(members);
  }

  private member(): Group {
    if (this.sign('(')) return this.closed(this.alternatives());
    if (this.keyword('everything')) return [];
    if (this.keyword('not')) return [{ kind: 'not', of: this.member() }];
    if (this.keyword('all')) return [this.list('$and')];
    if (this.keyword('any')) return [this.list('$or')];
    if (this.keyword('search')) return [this.search()];
    if (this.keyword('json')) return this.raw();
    return this.field();
  }

  private search(): Member {
    const { at } = this;
    const value = this.value();
    if (typeof value === 'object') throw new Refused('value_expected', at);
    return { kind: 'search', text: String(value) };
  }

  private list(mode: '$and' | '$or'): Member {
    this.expect('(');
    const groups: Group[] = [];
    if (this.sign(')')) return { kind: 'list', mode, groups };
    do groups.push(this.alternatives());
    while (this.sign(','));
    this.expect(')');
    return { kind: 'list', mode, groups };
  }

  /** Parses `json({"…": …})`, a condition that has no text syntax. */
  private raw(): Group {
    this.expect('(');
    const start = this.at;
    for (let end = this.text.indexOf(')', start); end >= 0; end = this.text.indexOf(')', end + 1)) {
      const value = jsonOf(this.text.slice(start, end));
      if (!isObject(value)) continue;
      this.at = end + 1;
      return readFilter(value);
    }
    throw this.refusal('value_expected');
  }

  private field(): Group {
    const path = this.path();
    this.space();
    if (!this.text.startsWith('==', this.at) && this.symbol('=')) return [equality(path, this.value())];
    if (!this.sign('(')) return [{ kind: 'field', path, isShorthand: false, tests: [this.test()] }];
    const tests = [this.test()];
    while (this.sign(',')) tests.push(this.test());
    this.expect(')');
    const names = new Set(tests.map((test) => ('operator' in test ? test.operator : test.quantifier)));
    if (names.size === tests.length) return [{ kind: 'field', path, isShorthand: false, tests }];
    return tests.map((test) => ({ kind: 'field', path, isShorthand: false, tests: [test] }));
  }

  private path(): string {
    this.space();
    const quoted = /`((?:[^\\`]|\\[\\`])*)`/y;
    quoted.lastIndex = this.at;
    const [match, name] = quoted.exec(this.text) ?? [];
    if (match !== undefined && name !== undefined) {
      this.at += match.length;
      return name.replaceAll(/\\([\\`])/g, '$1');
    }
    const plain = /[A-Za-z0-9_.]+/y;
    plain.lastIndex = this.at;
    const [found = ''] = plain.exec(this.text) ?? [];
    if (!PLAIN_PATH.test(found) || RESERVED.has(found)) throw this.refusal('condition_expected');
    this.at += found.length;
    return found;
  }

  private test(): Test {
    for (const [keyword, quantifier] of QUANTIFIER_KEYWORDS)
      if (this.keyword(keyword)) {
        this.expect('(');
        return { quantifier, of: this.closed(this.alternatives()) };
      }
    if (this.keyword('is')) {
      const isNot = this.keyword('not');
      if (!this.keyword('empty')) throw this.refusal('value_expected');
      return { operator: '$null', value: !isNot };
    }
    for (const [keyword, operator] of OPERATOR_KEYWORDS)
      if (/\w/.test(keyword) ? this.keyword(keyword) : this.symbol(keyword)) return { operator, value: this.value() };
    throw this.refusal('operator_expected');
  }

  private value(): Json {
    if (this.sign('[')) {
      const values: Json[] = [];
      if (this.sign(']')) return values;
      do values.push(this.value());
      while (this.sign(','));
      this.expect(']');
      return values;
    }
    this.space();
    const token = /"(?:[^"\\]|\\.)*"|[^\s,()[\]"`]+/y;
    token.lastIndex = this.at;
    const [found] = token.exec(this.text) ?? [];
    const value = found === undefined ? undefined : valueOf(found);
    if (found === undefined || value === undefined) throw this.refusal('value_expected');
    this.at += found.length;
    return value;
  }

  private closed(group: Group): Group {
    this.expect(')');
    return group;
  }

  private expect(sign: string): void {
    if (!this.sign(sign)) throw this.refusal('bracket_expected');
  }

  private sign(sign: string): boolean {
    return this.symbol(sign);
  }

  private symbol(symbol: string): boolean {
    this.space();
    if (!this.text.startsWith(symbol, this.at)) return false;
    this.at += symbol.length;
    return true;
  }

  /** Consumes a keyword, which must not continue as a path. */
  private keyword(keyword: string): boolean {
    this.space();
    const found = new RegExp(`${keyword.replaceAll(' ', '\\s+')}(?![A-Za-z0-9_.])`, 'y');
    found.lastIndex = this.at;
    const [match] = found.exec(this.text) ?? [];
    if (match === undefined) return false;
    this.at += match.length;
    return true;
  }

  private space(): void {
    while (/\s/.test(this.text.charAt(this.at))) this.at += 1;
  }

  private refusal(fault: TextFault): Refused {
    return new Refused(fault, this.at);
  }
}

function equality(path: string, value: Json): Member {
  return Array.isArray(value)
    ? { kind: 'field', path, isShorthand: false, tests: [{ operator: '$in', value }] }
    : { kind: 'field', path, isShorthand: true, tests: [{ operator: '$eq', value }] };
}

/** Returns members with distinct names. Members with the same name are wrapped, because one object cannot contain both. */
function unambiguous(members: Group): Group {
  const filter = writeFilter(members);
  return Object.keys(filter).length === members.length ? members : readFilter(filter);
}

/** Parses a quoted string, a canonical JSON literal, or a plain text. */
function valueOf(token: string): Json | undefined {
  if (token.startsWith('"')) return jsonOf(token);
  const value = jsonOf(token);
  if (value !== undefined && JSON.stringify(value) === token) return value;
  return PLAIN_VALUE.test(token) ? token : undefined;
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
