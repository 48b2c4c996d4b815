import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { PasswordHasher } from 'lintel';

const derive = promisify<string, Buffer, number, Buffer>(scrypt);
/** Costs an unknown account as much time as a known one. */
const DECOY = `$scrypt$${'00'.repeat(16)}$${'00'.repeat(32)}`;

/** Hashes passwords in the format that Acme used before Lintel. */
export class ScryptPasswordHasher extends PasswordHasher {
  async hash(password: string): Promise<string> {
    const salt = randomBytes(16);
    return `$scrypt$${salt.toString('hex')}$${(await derive(password, salt, 32)).toString('hex')}`;
  }

  async verify(hash: string | null, password: string): Promise<boolean> {
    const [, name, salt = '', key = ''] = (hash ?? DECOY).split('$');
    const derived = await derive(password, Buffer.from(salt, 'hex'), 32);
    return hash !== null && name === 'scrypt' && timingSafeEqual(derived, Buffer.from(key, 'hex'));
  }

  needsRehash(): boolean {
    return false;
  }
}
