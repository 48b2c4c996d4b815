import { PASSWORD } from './people.js';
import type { Service } from './service.js';

export interface Newcomer {
  readonly email: string;
  readonly password: string;
}

let counter = 0;

/** Returns sign-up data that no service knows yet. */
export function newcomer(): Newcomer {
  counter += 1;
  return { email: `newcomer${counter}@example.com`, password: PASSWORD };
}

/** Registers a user. @throws Error if the service rejects it. */
export async function signUp(service: Service, { email, password }: Newcomer): Promise<void> {
  const body = { email, password, password_confirmation: password };
  const answer = await service.post('/api/auth/local/register', body);
  if (answer.status !== 201) throw new Error(`register answered ${answer.status} ${JSON.stringify(answer.body)}`);
}

/** Signs in and returns the access token. @throws Error if the service rejects it. */
export async function signIn(service: Service, { email, password }: Newcomer): Promise<string> {
  const answer = await service.post<{ token: string }>('/api/auth/local/login', { login: email, password });
  if (answer.status !== 200) throw new Error(`login answered ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.token;
}
