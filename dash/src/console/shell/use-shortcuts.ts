import { useEffect, useRef } from 'react';
import { intentOf, type Intent } from './shortcuts.js';

const PREFIX_MS = 1_500;

/** Whether shortcuts use ⌘. */
export const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Handles the global keyboard shortcuts. They are disabled while a dialog is open. */
export function useShortcuts(onIntent: (intent: Exclude<Intent, 'prefix'>) => boolean): void {
  const callback = useRef(onIntent);
  callback.current = onIntent;
  const prefixed = useRef(0);
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
      const isPrefixed = Date.now() - prefixed.current < PREFIX_MS;
      const intent = intentOf(event, { isMac: IS_MAC, isTyping: isTyping(event), isPrefixed });
      prefixed.current = intent === 'prefix' ? Date.now() : 0;
      if (intent === null || intent === 'prefix') return;
      if (callback.current(intent)) event.preventDefault();
    }
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Returns whether a key press is text input. Uses `composedPath()`, because the code editor is in a shadow root. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath();
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches('textarea, select, input:not([type=checkbox], [type=radio])');
}
