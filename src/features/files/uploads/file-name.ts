import { parse } from 'content-disposition';
import { defineLimit } from '../../../kernel/limits.js';

/** The name of a file whose sender gives none. */
const NAMELESS = 'file';
/** Longest name in bytes, which every file system takes. */
const MOST_BYTES = defineLimit(255, 'Files', 'bytes of a file name; a longer name is shortened', null);
/** Control characters, and those that turn the direction of a text or are not seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const SEPARATORS = /[/\\:*?"<>|]/g;

/**
 * Returns the name under which a file is known: the last part of what its sender says, one line, without what changes how it is read, at
 * most 255 bytes. It is shown and offered for saving, and never a path.
 */
export function fileName(given: string | undefined): string {
  const last = (given ?? '').toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const plain = last.normalize('NFC').replace(UNSEEN, '').replace(SEPARATORS, '_').trim();
  return /^\.*$/.test(plain) ? NAMELESS : shortened(plain);
}

/** Returns the name that a `Content-Disposition` says (RFC 6266); undefined if it says none that can be read. */
export function dispositionName(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  try {
    return parse(header).parameters['filename'];
  } catch {
    return undefined;
  }
}

/** Shortens a name. The end of a name says what it is, so a long one loses letters before it. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MOST_BYTES) return name;
  const [ending = ''] = /\.[A-Za-z0-9]{1,10}$/.exec(name) ?? [];
  let kept = '';
  for (const letter of name) {
    if (Buffer.byteLength(kept + letter + ending) > MOST_BYTES) break;
    kept += letter;
  }
  return kept + ending;
}
