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
import { isPictureSide, PICTURE_SIZE_NAME } from '../../data/model/schema-limits.js';
import type { PictureSize } from '../../kernel/schema-definition.types.js';
import type { ClamdAddress } from './scanning/clamd-file-scanner.js';
import { MOST_PARTS, PART_BYTES } from './storage/s3/s3-parts.js';
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
  if (host === undefined || !isPort) throw new ValueFault('be HOST:PORT, or the path of a socket');
  return { host: host.replace(/[[\]]/g, ''), port: Number(port) };
}

/** Parses `thumb=320x320,wide=1600x,card=800x600:cover`. */
function parseSizes(text: string): ReadonlyMap<string, PictureSize> {
  const entries = text.split(',').map((part): [string, PictureSize] => {
    const [, name = '', width = '', height = '', cover] = SIZE.exec(part.trim()) ?? [];
    const sides = [width, height].filter((side) => side !== '').map(Number);
    if (!PICTURE_SIZE_NAME.test(name) || sides.length === 0 || !sides.every(isPictureSide))
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
    meaning: 'where the bytes of files are: `local` under `$DATA_DIR/files`, `s3` in a bucket',
  },
  S3_ENDPOINT: {
    parse: parseAddress(['http:', 'https:']),
    defaultText: 'that of Amazon S3 in `S3_REGION`',
    meaning: 'address of a store that speaks S3',
  },
  S3_PUBLIC_ENDPOINT: {
    parse: parseAddress(['http:', 'https:']),
    defaultText: 'that of `S3_ENDPOINT`',
    meaning: 'address of that store for clients that send files straight to it',
  },
  S3_REGION: {
    default: 'us-east-1',
    parse: parseForm(/^[a-z0-9-]{1,50}$/, 'be a region such as us-east-1'),
    meaning: 'region of the bucket',
  },
  S3_BUCKET: {
    parse: parseForm(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'be the name of a bucket'),
    meaning: 'the bucket',
  },
  S3_ACCESS_KEY_ID: {
    parse: parseForm(/^[!-~]{1,200}$/, 'be printable letters without spaces'),
    meaning: 'who reads, writes, lists and deletes in the bucket',
  },
  S3_SECRET_ACCESS_KEY: {
    secret: true,
    parse: parseForm(/^[!-~]{1,500}$/, 'be printable letters without spaces'),
    meaning: 'the secret of that access key',
  },
  S3_FORCE_PATH_STYLE: {
    parse: parseBoolean,
    defaultText: '`true` with `S3_ENDPOINT`',
    meaning: 'whether the bucket stands in the path of an address, and not in its host',
  },
};

export const FILES_VARIABLES = defineVariables(
  'Files',
  {
    ...DISK,
    FILES_MAX_SIZE: {
      default: 1_073_741_824,
      parse: parseInteger(1, TEBIBYTE),
      meaning: 'bytes of the largest file that is taken',
      error: 'file_too_large',
    },
    FILES_QUOTA: {
      default: 0,
      parse: parseInteger(0, 1_000 * TEBIBYTE),
      meaning: 'bytes of all files that one account has sent, unless its roles say otherwise; 0 for no bound',
      error: 'quota_exceeded',
    },
    FILES_SIZES: {
      default: new Map<string, PictureSize>([['thumb', { width: 320, height: 320 }]]),
      defaultText: '`thumb=320x320`',
      parse: parseSizes,
      meaning:
        'sizes of every picture, `name=WIDTHxHEIGHT` with commas between them, `:cover` behind one that is cut to fill both; one of both may be missing',
    },
    FILES_GRACE_HOURS: {
      default: 24,
      parse: parseInteger(1, 8_760),
      meaning:
        'hours for which a file is kept that was deleted, replaced, or is linked by no record: until then a deletion can be taken back',
    },
    FILES_CLAMD: {
      parse: parseClamd,
      defaultText: 'nobody looks at files',
      meaning:
        'where clamd of ClamAV listens, `HOST:PORT` or the path of a socket: nobody reads a file before it has looked at it',
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
      const faults = missing.map(([name]) => `${name} must be set where FILES_DISK is s3`);
      if (maxSize > MOST_PARTS * PART_BYTES)
        faults.push(`FILES_MAX_SIZE must be at most ${MOST_PARTS * PART_BYTES} where FILES_DISK is s3`);
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
      readonly sizes: ReadonlyMap<string, PictureSize>;
      /** Address of clamd, which scans files before they can be read; null for no scan. */
      readonly clamd: ClamdAddress | null;
      /** The bucket; null for the local disk. */
      readonly s3: S3Settings | null;
    };
  }
}
