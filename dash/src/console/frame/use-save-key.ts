import { useEffect, useRef } from 'react';

/** Saves on ⌘S or Ctrl+S. Suppresses the browser's command, which would save the page. */
export function useSaveKey(onSave: () => void): void {
  const callback = useRef(onSave);
  callback.current = onSave;
  useEffect(() => {
    function onKey(event: KeyboardEvent): void {
      const { key, ctrlKey, metaKey, altKey, shiftKey, repeat } = event;
      if (key.toLowerCase() !== 's' || ctrlKey === metaKey || altKey || shiftKey) return;
      if (document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      if (!repeat) callback.current();
    }
    // Captures the event, because an open cell stops its propagation.
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, []);
}
