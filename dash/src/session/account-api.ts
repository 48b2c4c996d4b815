import { authorized } from './authorized.js';
import type { CurrentUser, Session } from '../api/openapi.js';

export const getCurrentUser = (): Promise<CurrentUser> => authorized('GET', '/api/auth/me');

export const signOutHere = (): Promise<unknown> => authorized('POST', '/api/auth/logout', undefined, { session: true });

export const changeEmail = (new_email: string, current_password: string): Promise<{ message: string }> =>
  authorized('POST', '/api/auth/local/email/change', { new_email, current_password });

export const listSessions = async (): Promise<Session[]> =>
  (await authorized<{ data: Session[] }>('GET', '/api/auth/sessions')).data;

export const endSession = (id: string): Promise<unknown> =>
  authorized('DELETE', `/api/auth/sessions/${encodeURIComponent(id)}`);

export const endOtherSessions = (): Promise<unknown> => authorized('DELETE', '/api/auth/sessions');
