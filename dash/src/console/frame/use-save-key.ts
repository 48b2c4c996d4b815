import { useEffect, useRef } from 'react';

/** Saves by ⌘S or Ctrl+S, from wherever somebody types: it is never the browser's own, which would save the page. */
export function useSaveKey(onSave: () => void): void {
  const heard = useRef(onSave);
  heard.current = onSave;
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      const { key, ctrlKey, metaKey, altKey, shiftKey, repeat } = event;
      if (key.toLowerCase() !== 's' || ctrlKey === metaKey || altKey || shiftKey) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      if (!repeat) heard.current();
    }
    // An open cell keeps its keys to itself.
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, []);
}
