import type { OrderDto } from './orders.dto.js';

const ESCAPED: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns the packing slip of an order as a page. Text of users is escaped. */
export function packingSlip({ id, sku, pieces }: OrderDto): string {
  const text = (value: string): string => value.replace(/[&<>"']/g, (sign) => ESCAPED[sign] ?? '');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Order ${text(id)}</title>
<style>h1 { font: bold 24pt sans-serif }</style>
<h1>${pieces} × ${text(sku)}</h1>
</html>
`;
}
