import { defineVariables, parseList, parseOneOf, type Parser, ValueFault } from '../config/config.public.js';

export const ROLES = ['serve', 'work', 'both'] as const;
export type ProcessRole = (typeof ROLES)[number];

const parseKind: Parser<string> = (text) => {
  if (/^[^\s*,]+(\.\*)?$/.test(text)) return text;
  throw new ValueFault(`contain names of job kinds such as mail.send or mail.*, not ${JSON.stringify(text)}`);
};

const parseKinds: Parser<readonly string[]> = (text) => {
  const kinds = parseList(parseKind)(text);
  if (kinds.length === 0) throw new ValueFault('contain at least one job kind; unset it for all kinds');
  return kinds;
};

export const JOB_VARIABLES = defineVariables(
  'Operation',
  {
    ROLE: {
      default: 'both',
      parse: parseOneOf(...ROLES),
      meaning:
        'work of this process: `serve` answers requests and runs no background jobs, `work` runs background jobs and opens no port for requests, `both` does both',
    },
    JOB_KINDS: {
      defaultText: '',
      parse: parseKinds,
      meaning:
        'kinds of jobs and names of schedules that this process runs, separated by commas, such as `mail.*,files.scan`; unset runs all',
    },
  },
  {
    settings: (values) => ({ jobs: { role: values.ROLE, kinds: values.JOB_KINDS ?? null } }),
    faults: ({ jobs }) =>
      jobs.role === 'serve' && jobs.kinds !== null
        ? ['JOB_KINDS must not be set with ROLE=serve, because such a process runs no jobs']
        : [],
  },
);

declare module '../config/config.types.js' {
  interface Config {
    readonly jobs: JobSettings;
  }
}

export interface JobSettings {
  readonly role: ProcessRole;
  /** Kinds, or prefixes of kinds with `.*`; null for all. */
  readonly kinds: readonly string[] | null;
}

export function runsKind({ role, kinds }: JobSettings, kind: string): boolean {
  return role !== 'serve' && (kinds === null || kinds.some((selected) => matchesKind(selected, kind)));
}

export function matchesKind(selected: string, kind: string): boolean {
  return selected.endsWith('.*') ? kind.startsWith(selected.slice(0, -1)) : kind === selected;
}
