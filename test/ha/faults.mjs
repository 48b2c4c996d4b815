import { setTimeout as delay } from 'node:timers/promises';

async function succeeded(cluster, before) {
  const end = performance.now() + 60_000;
  for (;;) {
    const leader = await cluster.leader();
    if (leader !== undefined && leader !== before) return;
    if (performance.now() > end) throw new Error('no member took over');
    await delay(200);
  }
}

/**
 * Faults of a cluster, by name. Each causes the fault, waits, and returns a function that repairs it, if a repair is needed.
 * The caller then checks that everything works again.
 */
export const FAULTS = {
  'switchover by the operator': async ({ cluster }) => {
    const before = await cluster.leader();
    await cluster.switchOver();
    await succeeded(cluster, before);
  },
  'server of the leader killed': async ({ cluster }) => {
    (await cluster.leader()).signalServer('SIGKILL');
    await delay(5_000);
  },
  'machine of the leader gone, then back': async ({ cluster }) => {
    const leader = await cluster.leader();
    leader.signalAll('SIGKILL');
    await succeeded(cluster, leader);
    await delay(3_000);
    return () => leader.patroni.start();
  },
  'machine of the leader frozen 30 s, then back': async ({ cluster }) => {
    const leader = await cluster.leader();
    leader.signalAll('SIGSTOP');
    await delay(30_000);
    return () => leader.signalAll('SIGCONT');
  },
  'etcd away for 20 s': async ({ cluster }) => {
    cluster.etcd.signal('SIGSTOP');
    await delay(20_000);
    return () => cluster.etcd.signal('SIGCONT');
  },
  'synchronous standby frozen 20 s, then back': async ({ cluster }) => {
    const standby = await cluster.synchronous();
    standby.signalAll('SIGSTOP');
    await delay(20_000);
    return () => standby.signalAll('SIGCONT');
  },
  'disk of the leader full for 15 s': async ({ cluster }) => {
    const leader = await cluster.leader();
    if (!leader.hasOwnDisk) return 'a separate disk cannot be mounted here';
    leader.fillDisk();
    await delay(15_000);
    return () => leader.freeDisk();
  },
  'instance of the service killed, then back': async ({ instances }) => {
    await instances.kill(0);
    await delay(2_000);
    return () => instances.start(0);
  },
};
