import ipaddr from 'ipaddr.js';

type Value = string | number | readonly Value[] | { readonly [name: string]: Value };
type Branch = { kind: 'node'; index: number } | { kind: 'entry'; offset: number } | null;

const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const SEPARATOR_BYTES = 16;
const TEXT = 2;
const MAP = 7;
const UINT16 = 5;
const UINT32 = 6;
const ARRAY = 11;

/**
 * Creates an address database in the MaxMind DB file format 2.0, with 24-bit records.
 *
 * @param networks data by network in CIDR notation (IPv4 or IPv6); networks must not overlap.
 */
export function addressDatabase(networks: Readonly<Record<string, Value>>): Buffer {
  const nodes: [Branch, Branch][] = [[null, null]];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [network, value] of Object.entries(networks)) {
    insert(nodes, bitsOf(network), { kind: 'entry', offset });
    const entry = encode(value);
    entries.push(entry);
    offset += entry.length;
  }
  const tree = Buffer.concat(nodes.flatMap((node) => node.map((branch) => recordOf(branch, nodes.length))));
  const about = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1,
    database_type: 'Test-City',
    description: { en: 'Places of a test' },
    ip_version: 6,
    languages: ['de', 'en'],
    node_count: nodes.length,
    record_size: 24,
  };
  return Buffer.concat([tree, Buffer.alloc(SEPARATOR_BYTES), ...entries, MARKER, encode(about)]);
}

/** Returns the path of a network from the root. The tree is an IPv6 tree: IPv4 networks start with 96 zero bits. */
function bitsOf(network: string): number[] {
  const [address, length] = ipaddr.parseCIDR(network);
  const bits = address.toByteArray().flatMap((byte) => [7, 6, 5, 4, 3, 2, 1, 0].map((at) => (byte >> at) & 1));
  const before = address.kind() === 'ipv4' ? Array<number>(96).fill(0) : [];
  return [...before, ...bits.slice(0, length)];
}

function insert(nodes: [Branch, Branch][], bits: readonly number[], entry: Branch): void {
  let node = nodes[0]!;
  for (const bit of bits.slice(0, -1)) {
    const next = node[bit];
    if (next?.kind === 'node') node = nodes[next.index]!;
    else {
      const made: [Branch, Branch] = [null, null];
      node[bit] = { kind: 'node', index: nodes.push(made) - 1 };
      node = made;
    }
  }
  node[bits.at(-1)!] = entry;
}

function recordOf(branch: Branch, nodeCount: number): Buffer {
  const record = Buffer.alloc(3);
  const value =
    branch === null ? nodeCount : branch.kind === 'node' ? branch.index : nodeCount + SEPARATOR_BYTES + branch.offset;
  record.writeUIntBE(value, 0, 3);
  return record;
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(TEXT, text.length), text]);
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    const short = value < 65_536;
    return Buffer.concat([control(short ? UINT16 : UINT32, short ? 2 : 4), short ? bytes.subarray(2) : bytes]);
  }
  if (Array.isArray(value)) return Buffer.concat([control(ARRAY, value.length), ...(value as Value[]).map(encode)]);
  const members = Object.entries(value as Record<string, Value>);
  return Buffer.concat([
    control(MAP, members.length),
    ...members.flatMap(([name, member]) => [encode(name), encode(member)]),
  ]);
}

/** Encodes type and size. Types above 7 use an extra byte; only sizes below 29 are supported. */
function control(type: number, size: number): Buffer {
  if (size > 28) throw new RangeError('A test says it in fewer words.');
  return type > 7 ? Buffer.from([size, type - 7]) : Buffer.from([(type << 5) | size]);
}
