export interface Ended {
  readonly code: number;
  readonly output: string;
}

export function runIn(directory: string, program: string, ...args: string[]): Promise<Ended>;
export function writeFiles(directory: string, files: Readonly<Record<string, string>>): void;
export function installPacked(directory: string, devDependencies: readonly string[]): Promise<void>;
export function packInto(directory: string): Promise<string>;
