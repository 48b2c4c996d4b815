import { JobWorker } from '../../src/platform/jobs/job-worker.service.js';
import { mailAfterRequest } from './flows.js';
import type { useMailedApp } from './mailbox.js';

export const OWNER = '203.0.113.77';
export const PHONE = '192.0.2.14';

let counter = 0;

/** Returns an address of an unknown client, each from another /24 network. */
export function strangerAddress(): string {
  counter += 1;
  return `198.${18 + ((counter >> 8) & 1)}.${counter & 255}.${1 + (counter % 200)}`;
}

export function wrongFor(code: string, index = 0): string {
  return String((Number(code) + 1 + index) % 1_000_000).padStart(6, '0');
}

/** Returns functions that send requests from any address and read the mailed codes. */
export function requestedCodes(world: ReturnType<typeof useMailedApp>) {
  return {
    post: (path: string, body: unknown, address = OWNER) =>
      world.app.asGuest().post(`/api/auth/${path}`, body).set('x-forwarded-for', address),
    drain: () => world.app.get(JobWorker).drain(),
    /** Returns the code of the newest mail, after all queued mails were sent. */
    newestCode: async (email: string): Promise<string> => (await mailAfterRequest(world, email)).codes[0]!,
    newestOf: async (email: string, count: number): Promise<string> => {
      await mailAfterRequest(world, email);
      return (await world.mailbox.waitFor(email, count)).codes[0]!;
    },
  };
}
