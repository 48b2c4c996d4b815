import type { Section } from '../frame/sections.js';

/** Action of a keyboard shortcut. */
export type Intent = 'palette' | 'help' | 'prefix' | Section['name'];

export interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly repeat: boolean;
}

export const PART_KEYS: Readonly<Record<string, Section['name']>> = {
  r: 'records',
  m: 'model',
  p: 'people',
  s: 'service',
  a: 'account',
};

/**
 * Returns the action of a key press, or null. In text inputs only the palette shortcut works. It uses ⌘ on a Mac, where Ctrl+K deletes to
 * the end of a line, otherwise Ctrl.
 */
export function intentOf(
  { key, ctrlKey, metaKey, altKey, repeat }: PressedKey,
  {
    isMac,
    isTyping,
    isPrefixed,
  }: { readonly isMac: boolean; readonly isTyping: boolean; readonly isPrefixed: boolean },
): Intent | null {
  if (altKey || repeat) return null;
  const [command, other] = isMac ? [metaKey, ctrlKey] : [ctrlKey, metaKey];
  if (command && !other) return key.toLowerCase() === 'k' ? 'palette' : null;
  if (command || other || isTyping) return null;
  if (isPrefixed) return (Object.hasOwn(PART_KEYS, key) ? PART_KEYS[key] : undefined) ?? null;
  if (key === '?') return 'help';
  return key === 'g' ? 'prefix' : null;
}
