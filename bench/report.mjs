/** Lines of a comparison: the product, the bare server, and the ratio of the two. */
export function report(name, ours, limit) {
  row(name, 'product', ours.perSecond, ours.p50, ours.p99, ours.cpu.toFixed(1));
  row('', 'bare', limit.perSecond, limit.p50, limit.p99, limit.cpu.toFixed(1));
  row('', 'ratio', percent(ours.perSecond / limit.perSecond), '', '', percent(limit.cpu / ours.cpu));
}

/** The head of the table. */
export function reportHead() {
  row('', '', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs/req');
}

function percent(share) {
  return `${Math.round(100 * share)} %`;
}

function row(name, side, ...cells) {
  console.log(name.padEnd(9) + side.padEnd(9) + cells.map((cell) => String(cell).padStart(12)).join(''));
}
