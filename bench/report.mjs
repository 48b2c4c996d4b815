export function report(name, ours, limit, pgbench) {
  row(name, 'product', ours.perSecond, ours.p50, ours.p99, ours.cpu.toFixed(1));
  row('', 'bare', limit.perSecond, limit.p50, limit.p99, limit.cpu.toFixed(1));
  if (pgbench !== undefined) row('', 'pgbench', pgbench.perSecond, pgbench.p50, pgbench.p99, '');
  const times = `${(ours.p99 / Math.max(limit.p99, 1)).toFixed(1)} x`;
  row('', 'ratio', percent(ours.ratio ?? ours.perSecond / limit.perSecond), '', times, percent(limit.cpu / ours.cpu));
}

export function reportHead() {
  row('', '', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs/req');
}

function percent(share) {
  return `${Math.round(100 * share)} %`;
}

function row(name, side, ...cells) {
  console.log(name.padEnd(9) + side.padEnd(9) + cells.map((cell) => String(cell).padStart(12)).join(''));
}
