type Tier = 'landing' | 'full';

export const SPECS: Readonly<Record<Tier, readonly string[]>>;
export const STAGES: Readonly<Record<Tier | 'both', readonly string[]>>;
export function tierOf(path: string): Tier | undefined;
export function includes(tier: Tier, other: Tier): boolean;
export function stagesOf(tier: Tier): readonly string[];
