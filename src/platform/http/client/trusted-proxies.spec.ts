import type { IncomingMessage } from 'node:http';
import type { NetworkTrust } from '../../config/config.public.js';
import { ClientAddresses } from './client-address.js';

function addressesBehind(trust: NetworkTrust) {
  const lines: object[] = [];
  const addresses = new ClientAddresses(trust, { warn: (fields) => void lines.push(fields) });
  const of = (peer: string, headers: Record<string, string> = {}): string =>
    addresses.of({ socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage);
  return { of, lines };
}

const chain = (text: string) => ({ 'x-forwarded-for': text });

describe('ClientAddresses', () => {
  it.each<[trust: NetworkTrust, peer: string, headers: Record<string, string>, address: string]>([
    [false, '::ffff:192.0.2.1', chain('198.51.100.1'), '192.0.2.1'],
    [1, '10.0.0.1', {}, '10.0.0.1'],
    [1, '10.0.0.1', chain(''), '10.0.0.1'],
    [1, '10.0.0.1', chain('203.0.113.9, 198.51.100.1:40000'), '198.51.100.1'],
    [2, '10.0.0.1', chain('203.0.113.9, 198.51.100.1:40000, 10.0.0.2'), '198.51.100.1'],
    [2, '10.0.0.1', chain('198.51.100.1:40000'), '198.51.100.1'],
    [['10.0.0.0/8'], '::ffff:10.0.0.1', chain('198.51.100.1:40000, 10.0.0.2:1234'), '198.51.100.1'],
    [['10.0.0.0/8'], '192.0.2.1', chain('198.51.100.1'), '192.0.2.1'],
    [['10.0.0.5/8'], '10.9.9.9', chain('198.51.100.1'), '198.51.100.1'],
    [['::ffff:10.0.0.0/104'], '10.0.0.1', chain('198.51.100.1'), '198.51.100.1'],
    [['10.0.0.1', 'fe80::/10'], 'fe80::1%eth0', chain('198.51.100.1, [fe80::2%eth0]:80'), '198.51.100.1'],
    ['azure', '169.254.129.1', chain('203.0.113.9, 198.51.100.1:40000'), '198.51.100.1'],
    ['azure', '10.0.0.4', chain('[2001:db8::7]:40000'), '2001:db8::7'],
    ['azure', '100.100.0.5', chain('198.51.100.1:40000, 127.0.0.1'), '198.51.100.1'],
    ['azure', '198.51.100.200', chain('203.0.113.9'), '198.51.100.200'],
    ['aws-alb', '172.31.0.9', chain('203.0.113.9,198.51.100.1'), '198.51.100.1'],
    ['aws-alb', '172.32.0.9', chain('198.51.100.1'), '172.32.0.9'],
    ['aws-alb', 'fd00::9', chain('2001:DB8::7'), '2001:db8::7'],
    ['cloudflare', '::1', { 'cf-connecting-ip': '198.51.100.1', ...chain('203.0.113.9') }, '198.51.100.1'],
    ['cloudflare', '127.0.0.1', chain('203.0.113.9'), '127.0.0.1'],
    ['cloudflare', '198.51.100.200', { 'cf-connecting-ip': '203.0.113.9' }, '198.51.100.200'],
    ['azure', '10.0.0.4', { 'cf-connecting-ip': '203.0.113.9', 'x-client-ip': '203.0.113.9' }, '10.0.0.4'],
  ])('behind %j, a request of %s with %j comes from %s', (trust, peer, headers, address) =>
    expect(addressesBehind(trust).of(peer, headers)).toBe(address),
  );

  it('gives each unreadable text its own name, and logs the first one', () => {
    const { of, lines } = addressesBehind(1);
    const texts = ['unknown', '_hidden', 'a'.repeat(5_000), '192.0.2.07', 'unknown'];
    const names = texts.map((text) => of('10.0.0.1', chain(text)));
    expect(new Set(names).size).toBe(4);
    expect(names[0]).toBe(names[4]);
    for (const name of names) expect(name).toMatch(/^unreadable-[0-9a-f]{16}$/);
    expect(lines).toEqual([{ header: 'x-forwarded-for', address: 'unknown' }]);
  });

  it('does not log what a client without a trusted proxy sends', () => {
    const { of, lines } = addressesBehind(['10.0.0.0/8']);
    expect(of('192.0.2.1', chain('unknown'))).toBe('192.0.2.1');
    expect(of('10.0.0.1', chain('unknown, 192.0.2.1'))).toBe('192.0.2.1');
    expect(lines).toEqual([]);
  });
});
