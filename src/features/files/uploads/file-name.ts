import { parse } from 'content-disposition';
import { defineLimit } from '../../../kernel/limits.js';

const NAMELESS = 'file';
const MAX_BYTES = defineLimit(255, 'Files', 'bytes of a file name; a longer name is shortened', null);
/** Control characters, line separators, and invisible or direction-changing characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const SEPARATORS = /[/\\:*?"<>|]/g;

/** Returns the last part of a declared name as one line of at most 255 bytes, without separators and invisible characters. */
export function fileName(requested: string | undefined): string {
  const last = (requested ?? '').toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const plain = last.normalize('NFC').replace(UNSEEN, '').replace(SEPARATORS, '_').trim();
  return /^\.*$/.test(plain) ? NAMELESS : shortened(plain);
}

export function dispositionName(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  try {
    return parse(header).parameters['filename'];
  } catch {
    return undefined;
  }
}

function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const [ending = ''] = /\.[A-Za-z0-9]{1,10}$/.exec(name) ?? [];
  let shortened = '';
  for (const letter of name) {
    if (Buffer.byteLength(shortened + letter + ending) > MAX_BYTES) break;
    shortened += letter;
  }
  return shortened + ending;
}
