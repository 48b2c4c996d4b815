import { PASSWORD } from './world.mjs';

/** Returns a service without schemas and its administrator; once per run. */
export async function emptyService(world) {
  if (world.empty !== undefined) return world.empty;
  const service = await world.start({});
  const account = { email: 'root@example.com', username: 'root', password: PASSWORD };
  const token = new URL(service.setupAddress).hash.replace('#token=', '');
  await service.post('/api/setup', { ...account, password_confirmation: PASSWORD, token });
  world.empty = { service, account };
  return world.empty;
}
