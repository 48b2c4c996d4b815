import { createTransport } from 'nodemailer';
import { readDeliveryFault } from '../../../src/platform/mail/transports/delivery-fault.js';
import { smtpOptions } from '../../../src/platform/mail/transports/smtp-options.js';
import { Mailbox } from '../../support/mailbox.js';
import { newAddress } from './support/mails.js';

describe('MAIL_URL over a real connection', () => {
  const open: Mailbox[] = [];
  const mailbox = async (options = {}): Promise<Mailbox> => {
    const one = await Mailbox.open(options);
    open.push(one);
    return one;
  };
  const send = (url: string, address: string): Promise<unknown> =>
    createTransport(smtpOptions(url)).sendMail({
      from: { name: '', address: 'no-reply@lintel.test' },
      to: { name: '', address },
      text: 'Hello',
    });

  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  it('authenticates with the percent-encoded credentials of the URL', async () => {
    const { port, received } = await mailbox();
    await send(`smtp://service:p%40ss%2Fword@127.0.0.1:${port}`, newAddress());
    expect(received).toHaveLength(1);
  });

  it('sends nothing if the authentication is rejected, and may retry', async () => {
    const { port, attempts } = await mailbox();
    const fault = await send(`smtp://service:wrong@127.0.0.1:${port}`, newAddress()).catch(readDeliveryFault);
    expect(fault).toMatchObject({ permanent: false, reason: expect.stringMatching(/^EAUTH · AUTH PLAIN · 535/) });
    expect(JSON.stringify(fault)).not.toContain('wrong');
    expect(attempts).toEqual([]);
  });

  it('uses TLS from the start with smtps, and rejects an untrusted certificate', async () => {
    // The SMTP sink warns that its own certificate is public.
    jest.spyOn(console, 'error').mockReturnValueOnce(undefined);
    const { port, received } = await mailbox({ secure: true });
    const fault = await send(`smtps://127.0.0.1:${port}`, newAddress()).catch(readDeliveryFault);
    expect(fault).toMatchObject({ permanent: false });
    expect(received).toHaveLength(0);
    await send(`smtps://127.0.0.1:${port}?tls.rejectUnauthorized=false`, newAddress());
    expect(received).toHaveLength(1);
  });

  it('sends nothing unencrypted if TLS is required and not offered', async () => {
    const { port, attempts } = await mailbox();
    const fault = await send(`smtp://127.0.0.1:${port}?requireTLS=true`, newAddress()).catch(readDeliveryFault);
    expect(fault).toMatchObject({ permanent: false });
    expect(attempts).toEqual([]);
  });
});
