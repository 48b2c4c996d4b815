/** What a client asks to be answered after a write (RFC 7240 §4.2). */
export type ReturnPreference = 'minimal' | 'representation';

const PREFERENCE = /^return[ \t]*=[ \t]*("?)(minimal|representation)\1[ \t]*(?:;|$)/i;

/** The first `return` of a `Prefer` header; null where there is none or another value, which is ignored (RFC 7240 §2). */
export function returnPreference(header: string | undefined): ReturnPreference | null {
  const entries = header?.split(',').map((entry) => entry.trim()) ?? [];
  const first = entries.find((entry) => /^return[ \t]*(?:=|;|$)/i.test(entry));
  return (PREFERENCE.exec(first ?? '')?.[2]?.toLowerCase() ?? null) as ReturnPreference | null;
}
