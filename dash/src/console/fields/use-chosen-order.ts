import { type DragEvent, type HTMLAttributes, useState } from 'react';
import { useTexts } from '../../texts/texts.js';
import type { RecordField } from '../data/record-schema.js';
import { moved } from './moved.js';

interface MoveSign {
  readonly sign: string;
  readonly name: string;
  readonly isDisabled: boolean;
  readonly onPress: (pressed: HTMLElement) => void;
}

interface ChosenOrder {
  readonly itemProps: (index: number) => HTMLAttributes<HTMLElement>;
  readonly signs: (index: number) => readonly MoveSign[];
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
  const [draggedIndex, setDraggedIndex] = useState<number | null>(null);
  if (put === null || !many || type !== 'file' || chosen.length < 2) return { itemProps: () => ({}), signs: () => [] };
  const sign = (index: number, to: number, arrow: string, name: string): MoveSign => ({
    sign: arrow,
    name,
    isDisabled: to < 0 || to >= chosen.length,
    onPress: (pressed) => {
      put(moved(chosen, index, to));
      // A moved element loses the focus.
      requestAnimationFrame(() => pressed.focus());
    },
  });
  return {
    itemProps: (index) => ({
      draggable: true,
      onDragStart: (event: DragEvent) => {
        event.dataTransfer.effectAllowed = 'move';
        setDraggedIndex(index);
      },
      onDragOver: (event: DragEvent) => {
        if (draggedIndex !== null) event.preventDefault();
      },
      onDrop: (event: DragEvent) => {
        if (draggedIndex === null) return;
        event.preventDefault();
        put(moved(chosen, draggedIndex, index));
      },
      onDragEnd: () => setDraggedIndex(null),
    }),
    signs: (index) => [
      sign(index, index - 1, '←', records.files.earlier(chosen[index]?.label ?? '')),
      sign(index, index + 1, '→', records.files.later(chosen[index]?.label ?? '')),
    ],
  };
}
