import { clientBlock } from './client-address.js';

describe('clientBlock', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['not an address', 'unknown'],
  ])('counts %s as %s', (address, block) => expect(clientBlock(address)).toBe(block));
});
