import { type DragEvent, type HTMLAttributes, useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import type { RecordField } from '../data/record-schema.js';
import { moved } from './moved.js';

interface MoveSign {
  readonly sign: string;
  readonly name: string;
  readonly isOff: boolean;
  readonly onPress: (pressed: HTMLElement) => void;
}

interface ChosenOrder {
  readonly itemProps: (at: number) => HTMLAttributes<HTMLElement>;
  readonly signs: (at: number) => readonly MoveSign[];
}

/**
 * Lets the user reorder several files by drag and drop or with buttons. Other relations do not store an order.
 *
 * @param put writes the new order. Null disables reordering, because the order of an incomplete list cannot be written.
 */
export function useChosenOrder<T extends { readonly label: string }>(
  { many, type }: RecordField,
  chosen: readonly T[],
  put: ((next: readonly T[]) => void) | null,
): ChosenOrder {
  const { records } = useTexts('records');
  const [dragged, setDragged] = useState<number | null>(null);
  if (put === null || !many || type !== 'file' || chosen.length < 2) return { itemProps: () => ({}), signs: () => [] };
  const sign = (at: number, to: number, drawn: string, name: string): MoveSign => ({
    sign: drawn,
    name,
    isOff: to < 0 || to >= chosen.length,
    onPress: (pressed) => {
      put(moved(chosen, at, to));
      // A moved element loses the focus.
      requestAnimationFrame(() => pressed.focus());
    },
  });
  return {
    itemProps: (at) => ({
      draggable: true,
      onDragStart: (event: DragEvent) => {
        event.dataTransfer.effectAllowed = 'move';
        setDragged(at);
      },
      onDragOver: (event: DragEvent) => {
        if (dragged !== null) event.preventDefault();
      },
      onDrop: (event: DragEvent) => {
        if (dragged === null) return;
        event.preventDefault();
        put(moved(chosen, dragged, at));
      },
      onDragEnd: () => setDragged(null),
    }),
    signs: (at) => [
      sign(at, at - 1, '←', records.files.earlier(chosen[at]?.label ?? '')),
      sign(at, at + 1, '→', records.files.later(chosen[at]?.label ?? '')),
    ],
  };
}
