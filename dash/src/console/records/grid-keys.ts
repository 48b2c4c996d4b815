export interface CellPosition {
  readonly row: number;
  readonly column: number;
}

export interface GridSize {
  readonly rows: number;
  readonly columns: number;
  readonly page: number;
}

export interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
}

/** Returns the target cell of a key by the ARIA grid pattern (APG, grid); null for all other keys. */
export function moved(
  { row, column }: CellPosition,
  { key, ctrlKey, metaKey }: Key,
  { rows, columns, page }: GridSize,
): CellPosition | null {
  const toEdge = ctrlKey || metaKey;
  const steps: Readonly<Record<string, readonly [row: number, column: number]>> = {
    ArrowDown: [row + 1, column],
    ArrowUp: [row - 1, column],
    ArrowRight: [row, column + 1],
    ArrowLeft: [row, column - 1],
    PageDown: [row + page, column],
    PageUp: [row - page, column],
    Home: [toEdge ? 0 : row, 0],
    End: [toEdge ? rows - 1 : row, columns - 1],
  };
  const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
  if (step === undefined) return null;
  const within = (value: number, size: number): number => Math.min(Math.max(value, 0), Math.max(0, size - 1));
  return { row: within(step[0], rows), column: within(step[1], columns) };
}
