import { encode } from 'uqr';

/** Draws a text as a QR code. What it holds stays in the page: nobody else is asked to draw it. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 2 });
  const dots = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <path d={dots.join('')} fill="currentColor" />
    </svg>
  );
}
