import {
  defineVariables,
  parseAddress,
  parseBoolean,
  parseInteger,
  parseOneOf,
  type Parser,
  ValueFault,
  type ValuesOf,
} from '../../platform/config/config.public.js';
import { isImageSide, IMAGE_SIZE_NAME } from '../../data/model/schema-limits.js';
import type { ImageSize } from '../../kernel/schema-definition.types.js';
import type { ClamdAddress } from './scanning/clamd-file-scanner.js';
import { MAX_PARTS, PART_BYTES } from './storage/s3/s3-parts.js';
import type { S3Settings } from './storage/s3/s3-client.js';

const TEBIBYTE = 1_099_511_627_776;
const SIZE = /^([^=]*)=(\d{0,4})x(\d{0,4})(:cover)?$/;

/** Restricts a value that becomes part of URLs and headers. */
function parseForm(form: RegExp, expected: string): Parser<string> {
  return (text) => {
    if (!form.test(text)) throw new ValueFault(expected);
    return text;
  };
}

function parseClamd(text: string): ClamdAddress {
  if (/^\/[ -~]{1,100}$/.test(text)) return { path: text };
  const [, host, port = ''] = /^([A-Za-z0-9.-]{1,253}|\[[0-9a-fA-F:]{2,45}\]):(\d{1,5})$/.exec(text) ?? [];
  const isPort = Number(port) >= 1 && Number(port) <= 65_535;
  if (host === undefined || !isPort) throw new ValueFault('be HOST:PORT or the path of a socket');
  return { host: host.replace(/[[\]]/g, ''), port: Number(port) };
}

/** Parses `thumb=320x320,wide=1600x,card=800x600:cover`. */
function parseSizes(text: string): ReadonlyMap<string, ImageSize> {
  const entries = text.split(',').map((part): [string, ImageSize] => {
    const [, name = '', width = '', height = '', cover] = SIZE.exec(part.trim()) ?? [];
    const sides = [width, height].filter((side) => side !== '').map(Number);
    if (!IMAGE_SIZE_NAME.test(name) || sides.length === 0 || !sides.every(isImageSide))
      throw new ValueFault('be sizes such as thumb=320x320,wide=1600x');
    return [
      name,
      {
        ...(width === '' ? {} : { width: Number(width) }),
        ...(height === '' ? {} : { height: Number(height) }),
        ...(cover === undefined ? {} : { fit: 'cover' as const }),
      },
    ];
  });
  if (new Set(entries.map(([name]) => name)).size < entries.length) throw new ValueFault('name each size once');
  return new Map(entries);
}

const DISK = {
  FILES_DISK: {
    default: 'local' as const,
    parse: parseOneOf('local', 's3'),
    meaning: 'storage of uploaded files: `local` (under `$DATA_DIR/files`) or `s3` (in a bucket)',
  },
  S3_ENDPOINT: {
    parse: parseAddress(['http:', 'https:']),
    defaultText: 'endpoint of Amazon S3 in S3_REGION',
    meaning: 'URL of an S3-compatible store',
  },
  S3_PUBLIC_ENDPOINT: {
    parse: parseAddress(['http:', 'https:']),
    defaultText: 'value of S3_ENDPOINT',
    meaning: 'URL of the store for direct uploads by clients',
  },
  S3_REGION: {
    default: 'us-east-1',
    parse: parseForm(/^[a-z0-9-]{1,50}$/, 'be a region such as us-east-1'),
    meaning: 'region of the bucket',
  },
  S3_BUCKET: {
    parse: parseForm(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'be the name of a bucket'),
    meaning: 'name of the bucket',
  },
  S3_ACCESS_KEY_ID: {
    parse: parseForm(/^[!-~]{1,200}$/, 'be printable letters without spaces'),
    meaning: 'access key id; it needs permission to read, write, list and delete in the bucket',
  },
  S3_SECRET_ACCESS_KEY: {
    secret: true,
    parse: parseForm(/^[!-~]{1,500}$/, 'be printable letters without spaces'),
    meaning: 'secret access key',
  },
  S3_FORCE_PATH_STYLE: {
    parse: parseBoolean,
    defaultText: 'true with S3_ENDPOINT',
    meaning: 'whether URLs contain the bucket in their path instead of the host name',
  },
};

export const FILES_VARIABLES = defineVariables(
  'Files',
  {
    ...DISK,
    FILES_MAX_SIZE: {
      default: 1_073_741_824,
      parse: parseInteger(1, TEBIBYTE),
      meaning: 'maximum size of a file, in bytes',
      error: 'file_too_large',
    },
    FILES_QUOTA: {
      default: 0,
      parse: parseInteger(0, 1_000 * TEBIBYTE),
      meaning:
        'maximum size of all files that one account has uploaded, in bytes, unless its roles set another quota; 0 for no limit',
      error: 'quota_exceeded',
    },
    FILES_SIZES: {
      default: new Map<string, ImageSize>([['thumb', { width: 320, height: 320 }]]),
      defaultText: '`thumb=320x320`',
      parse: parseSizes,
      meaning:
        'sizes in which images are available: `name=WIDTHxHEIGHT`, separated by commas. Width or height can be omitted. Add `:cover` to crop the image to the exact size',
    },
    FILES_GRACE_HOURS: {
      default: 24,
      parse: parseInteger(1, 8_760),
      meaning:
        'hours for which deleted, replaced and unlinked files are kept; a deletion can be undone during this time',
    },
    FILES_CLAMD: {
      parse: parseClamd,
      defaultText: 'files are not scanned',
      meaning:
        'address of a ClamAV daemon (clamd), `HOST:PORT` or the path of a socket; files are available only after they were scanned',
    },
  },
  {
    settings: (values) => ({
      files: {
        maxSize: values.FILES_MAX_SIZE,
        quota: values.FILES_QUOTA,
        sizes: values.FILES_SIZES,
        graceMs: values.FILES_GRACE_HOURS * 3_600_000,
        clamd: values.FILES_CLAMD ?? null,
        s3: values.FILES_DISK === 's3' ? s3Settings(values) : null,
      },
    }),
    faults: ({ files: { s3, maxSize } }) => {
      if (s3 === null) return [];
      const needed = {
        S3_BUCKET: s3.bucket,
        S3_ACCESS_KEY_ID: s3.accessKeyId,
        S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      };
      const missing = Object.entries(needed).filter(([, value]) => value === '');
      const faults = missing.map(([name]) => `${name} must be set with FILES_DISK=s3`);
      if (maxSize > MAX_PARTS * PART_BYTES)
        faults.push(`FILES_MAX_SIZE must be at most ${MAX_PARTS * PART_BYTES} with FILES_DISK=s3`);
      return faults;
    },
  },
);

function s3Settings(values: ValuesOf<typeof DISK>): S3Settings {
  const { S3_ENDPOINT: endpoint, S3_REGION: region } = values;
  const reached = endpoint ?? `https://s3.${region}.amazonaws.com`;
  return {
    endpoint: reached,
    publicEndpoint: values.S3_PUBLIC_ENDPOINT ?? reached,
    region,
    bucket: values.S3_BUCKET ?? '',
    accessKeyId: values.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: values.S3_SECRET_ACCESS_KEY ?? '',
    forcePathStyle: values.S3_FORCE_PATH_STYLE ?? endpoint !== undefined,
  };
}

declare module '../../platform/config/config.types.js' {
  interface Config {
    readonly files: {
      /** In bytes. */
      readonly maxSize: number;
      /** In bytes; 0 for no limit. */
      readonly quota: number;
      readonly graceMs: number;
      readonly sizes: ReadonlyMap<string, ImageSize>;
      /** Address of clamd, which scans files before they can be read; null for no scan. */
      readonly clamd: ClamdAddress | null;
      /** The bucket; null for the local disk. */
      readonly s3: S3Settings | null;
    };
  }
}
