import { readDeliveryFault } from './delivery-fault.js';

const smtp = (code: string, command: string, response: string) =>
  Object.assign(new Error(`Command failed: ${response}`), {
    code,
    command,
    response,
    responseCode: Number(response.slice(0, 3)),
  });

describe('readDeliveryFault', () => {
  it.each([
    ['an unknown recipient', smtp('EENVELOPE', 'RCPT TO', '550 5.1.1 no such user'), true],
    ['a message rejected permanently', smtp('EMESSAGE', 'DATA', '554 5.6.0 not wanted'), true],
    ['a full mailbox', smtp('EENVELOPE', 'RCPT TO', '452 4.2.2 mailbox full'), false],
    ['a greylisted message', smtp('EMESSAGE', 'DATA', '451 4.7.1 come back later'), false],
    ['a refused sender', smtp('EENVELOPE', 'MAIL FROM', '550 5.7.1 sender not allowed'), false],
    ['a wrong password of the service', smtp('EAUTH', 'AUTH PLAIN', '535 5.7.8 no'), false],
    ['a missing sign-in, reported for the recipient', smtp('EENVELOPE', 'RCPT TO', '530 5.7.0 sign in first'), false],
    ['a rejection in the greeting', smtp('EPROTOCOL', 'CONN', '554 not now'), false],
    ['a timeout', Object.assign(new Error('Timeout'), { code: 'ETIMEDOUT', command: 'CONN' }), false],
    ['no server', Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ESOCKET' }), false],
    ['a thrown value that is not an error', null, false],
  ])('%s', (_name, error, permanent) => {
    expect(readDeliveryFault(error).permanent).toBe(permanent);
  });

  it('keeps details for the operator', () => {
    expect(readDeliveryFault(smtp('EENVELOPE', 'RCPT TO', '550 5.1.1 <ann@example.com> no such user')).reason).toBe(
      'EENVELOPE · RCPT TO · 550 5.1.1 <…> no such user',
    );
  });

  it.each([
    '<ann@example.com>',
    'ann.lee+x@mail.example.com',
    '"ann lee"@example.com',
    'to=ann%40example.com,',
    'änn@bücher.example',
    'ann@[192.0.2.1]',
    'mailto:ann@example.com:',
  ])('removes the address of a user: %s', (address) => {
    const { reason } = readDeliveryFault(smtp('EENVELOPE', 'RCPT TO', `550 5.1.1 ${address} no such user`));
    expect(reason).toMatch(/^EENVELOPE · RCPT TO · 550 5\.1\.1 .*…\S* no such user$/);
    expect(reason).not.toMatch(/ann|änn|lee|example|192/);
  });

  it('removes what a server quotes from the mail', () => {
    const token = 'q8T-zVb2mC0y1uQm8T_zVb2mC0y1uQmq8TzVb2mC0yx';
    for (const quote of [
      `https://lintel.test/auth/local/activate?token=${token}`,
      `HTTPS://LINTEL.TEST/#token=${token}`,
      `lintel.test/a?token=${token}`,
      `https%3A%2F%2Flintel.test%2Fa%3Ftoken%3D${token}`,
      `"${token}"`,
      'your code is 123456',
      'code=1234',
    ]) {
      const { reason } = readDeliveryFault(smtp('EMESSAGE', 'DATA', `554 5.7.1 blocked:\r\n ${quote} (spam)`));
      expect(reason).toContain('554 5.7.1 blocked:');
      expect(reason).not.toMatch(/[\r\n]|1234|q8T|zVb2|lintel\.test/i);
    }
  });
});
