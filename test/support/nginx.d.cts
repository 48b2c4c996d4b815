export interface Nginx {
  close(): Promise<void>;
}

export interface ServedBelow {
  readonly port: number;
  readonly upstream: number;
  /** Empty, or for example `/backend`. */
  readonly path: string;
  /** Whether the proxy removes the path. */
  readonly strip: boolean;
  readonly more?: string;
}

export function freePort(): Promise<number>;
export function servedBelow(options: ServedBelow): string;
export function startNginx(servers: readonly string[], firstPort: number): Promise<Nginx>;
