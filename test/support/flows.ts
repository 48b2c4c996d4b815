import { JobWorker } from '../../src/platform/jobs/job-worker.service.js';
import type { MailedApp, ReceivedMail } from './mailbox.js';

export function tokenOf(mail: ReceivedMail, index = 0): string {
  return new URL(mail.links[index] ?? '').searchParams.get('token') ?? '';
}

/** Sends the queued mails and returns the newest one to an address. */
export async function mailAfterRequest(world: MailedApp, address: string): Promise<ReceivedMail> {
  await world.app.get(JobWorker).drain();
  return world.mailTo(address);
}

/** Sends `count` concurrent requests and counts the statuses. */
export async function race(
  count: number,
  fire: () => PromiseLike<{ status: number }>,
): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: count }, fire));
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
