/** Light and dark colours; the browser selects by the user's preference. */
const LOOKS = `text{font:14px system-ui,sans-serif;fill:#1c2224}.quiet{fill:#5b6669}.bar{fill:#246f80}.line{stroke:#9aa5a8;stroke-dasharray:4 4}
@media(prefers-color-scheme:dark){text{fill:#e8ecec}.quiet{fill:#9aa5a8}.bar{fill:#5fb3c4}.line{stroke:#5b6669}}`;
const WIDTH = 760;
const LABEL = 330;
const NUMBER = 90;
const ROW = 30;
const TOP = 56;

/**
 * Draws a horizontal bar chart as an SVG without scripts, fonts and external images.
 *
 * @param title the heading, also part of the accessible label.
 * @param rows `{name, value, label}`: label, number, and its text.
 * @param mark reference value, as a line with a text: `{value, label}`.
 */
export function bars(title, rows, mark) {
  const most = Math.max(...rows.map(({ value }) => value), mark.value) * 1.02;
  const scale = (WIDTH - LABEL - NUMBER) / most;
  const height = TOP + rows.length * ROW + 12;
  const at = LABEL + mark.value * scale;
  const drawn = rows.map(({ name, value, label }, index) => {
    const y = TOP + index * ROW;
    const width = (value * scale).toFixed(1);
    return (
      `<text x="${LABEL - 12}" y="${y + 15}" text-anchor="end">${escaped(name)}</text>` +
      `<rect class="bar" x="${LABEL}" y="${y}" width="${width}" height="20" rx="3"/>` +
      `<text x="${(LABEL + value * scale + 8).toFixed(1)}" y="${y + 15}">${escaped(label)}</text>`
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(
    `${title}: ${rows.map(({ name, label }) => `${name} ${label}`).join(', ')}`,
  )}">
<style>${LOOKS}</style>
<text x="0" y="20" font-weight="600">${escaped(title)}</text>
<text class="quiet" x="${at.toFixed(1)}" y="44" text-anchor="middle">${escaped(mark.label)}</text>
<line class="line" x1="${at.toFixed(1)}" x2="${at.toFixed(1)}" y1="50" y2="${height - 8}"/>
${drawn.join('\n')}
</svg>
`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
