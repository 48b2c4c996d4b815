/** A running nginx. */
export interface Nginx {
  close(): Promise<void>;
}

/** An upstream that nginx serves below a path. */
export interface ServedBelow {
  readonly port: number;
  readonly upstream: number;
  /** Empty, or for example `/backend`. */
  readonly path: string;
  /** Whether the proxy removes the path. */
  readonly strip: boolean;
  /** More directives of the location. */
  readonly more?: string;
}

/** Returns a free port on loopback. */
export function freePort(): Promise<number>;
/** Returns a `server` block. */
export function servedBelow(options: ServedBelow): string;
/** Starts an nginx with these `server` blocks. Resolves once the first port accepts connections. */
export function startNginx(servers: readonly string[], firstPort: number): Promise<Nginx>;
