import {
  addressRangeText,
  canonicalAddress,
  clientBlock,
  clientNetwork,
  isAddressIn,
  parseAddressRange,
} from './client-address.js';

describe('canonicalAddress', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7:443', '192.0.2.7'],
    [' 192.0.2.7:65535 ', '192.0.2.7'],
    ['[192.0.2.7]:443', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['[::ffff:192.0.2.7]:443', '192.0.2.7'],
    ['2001:DB8:0:0::7', '2001:db8::7'],
    ['2001:0db8:0000:0000:0000:0000:0000:0007', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:443', 'fe80::1'],
    ['::1', '::1'],
  ])('writes %j as %s', (text, address) => {
    expect(canonicalAddress(text)).toBe(address);
    expect(canonicalAddress(address)).toBe(address);
  });

  it.each([
    '',
    'unknown',
    '_hidden',
    '192.0.2.07',
    '192.0.519',
    '3221225991',
    '0xc0.0.2.7',
    '192.0.2.7/32',
    '192.0.2.7:',
  ])('rejects %j', (text) => expect(canonicalAddress(text)).toBeNull());

  it.each([
    '192.0.2.7:http',
    '192.0.2.7:123456',
    '::10.9.8.7',
    '[2001:db8::7',
    '2001:db8::7]',
    '[]',
    '[]:80',
    '1:2:3',
    'é',
  ])('rejects %j', (text) => expect(canonicalAddress(text)).toBeNull());
});

describe('clientBlock', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['not an address', 'not an address'],
  ])('counts %s as %s', (address, block) => expect(clientBlock(address)).toBe(block));
});

describe('clientNetwork', () => {
  it.each([
    ['127.0.0.1', '127.0.0.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['::1', '0:0:0::/48'],
    ['not an address', 'not an address'],
  ])('counts %s as %s', (address, network) => expect(clientNetwork(address)).toBe(network));
});

describe('parseAddressRange', () => {
  it.each([
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['192.0.2.7/32', '192.0.2.7'],
    ['2001:DB8:0:0::/32', '2001:db8::/32'],
    ['::1/128', '::1'],
    ['::/0', '::/0'],
  ])('reads %s as %s', (text, written) => expect(addressRangeText(parseAddressRange(text)!)).toBe(written));

  it.each(['', '10', '10.1/16', '010.0.0.1', '0x0a.0.0.1', '10.0.0.1/8', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/ 8'])(
    'rejects %j',
    (text) => expect(parseAddressRange(text)).toBeNull(),
  );

  it.each(['::ffff:10.0.0.1', 'fe80::1%eth0', '2001:db8::1/32', '::/129', 'example.com', '[::1]'])(
    'rejects %j',
    (text) => expect(parseAddressRange(text)).toBeNull(),
  );
});

describe('isAddressIn', () => {
  const ranges = ['10.0.0.0/8', '2001:db8::/32'].map((text) => parseAddressRange(text)!);

  it.each(['10.9.8.7', '2001:db8:ffff::1'])('finds %s', (address) => expect(isAddressIn(address, ranges)).toBe(true));

  it.each(['11.0.0.1', '10.9.8.07', '10.9.519', '168364039', '10.9.8.7:80', '2001:db9::', 'unknown', ''])(
    'does not find %j',
    (address) => expect(isAddressIn(address, ranges)).toBe(false),
  );
});
