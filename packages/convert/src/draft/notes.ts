import type { Note, Origin } from './conversion.types.js';

/** Appends members to a JSON Pointer (RFC 6901). */
export function pointerTo(pointer: string, ...members: readonly (string | number)[]): string {
  return [pointer, ...members.map((member) => String(member).replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
}

export class Notes {
  private readonly all = new Map<string, Note>();

  add({ file, pointer }: Origin, message: string): void {
    this.all.set(JSON.stringify([file, pointer, message]), { file, pointer, message });
  }

  list(): readonly Note[] {
    return [...this.all.values()];
  }
}
