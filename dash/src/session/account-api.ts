import { authorized } from './authorized.js';
import type { CurrentUser, DeletionEffects, ListedDevice, Session } from '../api/openapi.js';

export const getCurrentUser = (): Promise<CurrentUser> => authorized('GET', '/api/auth/me');

/** Fields to change. Missing fields stay unchanged; null clears one. */
export type ProfileChange = Partial<Pick<CurrentUser, 'first_name' | 'last_name' | 'username' | 'language'>>;

export const updateProfile = (change: ProfileChange): Promise<CurrentUser> =>
  authorized('PATCH', '/api/auth/me', change);

export interface PasswordChangeInput {
  current_password: string;
  password: string;
  password_confirmation: string;
}

export const changePassword = (input: PasswordChangeInput): Promise<{ data: true }> =>
  authorized('POST', '/api/auth/local/password', input);

export const exportAccount = (): Promise<Blob> => authorized('GET', '/api/auth/me/export', undefined, { file: true });

export const getDeletionEffects = async (): Promise<DeletionEffects> =>
  (await authorized<{ data: DeletionEffects }>('GET', '/api/auth/me/deletion')).data;

export const deleteAccount = (current_password: string | undefined): Promise<unknown> =>
  authorized('DELETE', '/api/auth/me', { current_password }, { session: true });

export const signOutHere = (): Promise<unknown> => authorized('POST', '/api/auth/logout', undefined, { session: true });

export const changeEmail = (new_email: string, current_password: string): Promise<{ message: string }> =>
  authorized('POST', '/api/auth/local/email/change', { new_email, current_password });

export const listSessions = async (): Promise<Session[]> =>
  (await authorized<{ data: Session[] }>('GET', '/api/auth/sessions')).data;

export const endSession = (id: string): Promise<unknown> =>
  authorized('DELETE', `/api/auth/sessions/${encodeURIComponent(id)}`);

export const listDevices = async (): Promise<ListedDevice[]> =>
  (await authorized<{ data: ListedDevice[] }>('GET', '/api/auth/devices')).data;

export const forgetDevice = (id: string): Promise<unknown> =>
  authorized('DELETE', `/api/auth/devices/${encodeURIComponent(id)}`);

export const endOtherSessions = (): Promise<unknown> => authorized('DELETE', '/api/auth/sessions');
