/**
 * Parses CSV (RFC 4180) in a separate thread, because parsing takes as long as all other processing of the rows before they are written,
 * and produces more garbage. Each file has a port. The port receives bytes, then null at the end of the file. It returns the complete
 * records, whether all bytes were valid in the file's encoding so far, and the first malformed record.
 */
import { parentPort } from 'node:worker_threads';
import { parse } from 'csv-parse';
import { parse as parseAll } from 'csv-parse/sync';

/** Number of bytes parsed per call. */
const SLICE_BYTES = 16_384;
/** Accepted line ends; a file may mix them. The longest is first. */
const LINE_ENDS = ['\r\n', '\n', '\r'];
/** Byte order marks, with the encodings that they announce. */
const MARKS = [
  { encoding: 'utf-8', bytes: Buffer.from([0xef, 0xbb, 0xbf]) },
  { encoding: 'utf-16le', bytes: Buffer.from([0xff, 0xfe]) },
  { encoding: 'utf-16be', bytes: Buffer.from([0xfe, 0xff]) },
];
const LONGEST_MARK = 3;
const NO_BYTES = Buffer.alloc(0);

parentPort.on('message', ({ port, delimiter, mostRecordBytes, encoding }) => {
  let file = null;
  port.on('message', async (bytes) => {
    try {
      file ??= opened(delimiter, mostRecordBytes, encoding);
      const records = bytes === null ? await lastRecordsOf(file) : recordsOf(file, bytes);
      port.postMessage({ records, ...file.state });
    } catch {
      // The error ends the parsing of this file only.
      port.close();
    }
  });
});

function opened(delimiter, mostRecordBytes, encoding) {
  const state = { isEncoded: true, encoding, broken: null };
  const parser = parse({
    bom: true,
    delimiter,
    record_delimiter: LINE_ENDS,
    raw: true,
    relax_column_count: true,
    max_record_size: mostRecordBytes,
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error !== undefined) state.broken ??= { row: Number(error.records) + 1, code: error.code };
    },
  });
  // The error is reported when the remaining records are read.
  parser.on('error', () => undefined);
  return { state, parser, delimiter, head: NO_BYTES, decoders: null };
}

/**
 * Parses bytes in slices. Bytes after a malformed record are not parsed: for each slice of a record that is too long, the parser would
 * create an error that contains the whole record.
 */
function recordsOf(file, bytes) {
  const { state, parser } = file;
  if (state.broken !== null) return [];
  const text = utf8Of(file, bytes);
  const records = [];
  for (let from = 0; from < text.length && state.broken === null; from += SLICE_BYTES) {
    parser.write(text.subarray(from, from + SLICE_BYTES));
    // Reading records by events would take a third of the total time.
    for (let next = parser.read(); next !== null; next = parser.read()) records.push(cellsOf(file, next));
  }
  return records;
}

async function lastRecordsOf(file) {
  const records = recordsOf(file, null);
  file.parser.end();
  for await (const next of file.parser) records.push(cellsOf(file, next));
  return records;
}

/** Returns bytes of a file as UTF-8; null is its end. Bytes that are invalid in its encoding become U+FFFD. */
function utf8Of(file, bytes) {
  let own = bytes ?? NO_BYTES;
  if (file.decoders === null) {
    own = Buffer.concat([file.head, own]);
    file.head = own;
    if (bytes !== null && own.length < LONGEST_MARK) return NO_BYTES;
    open(file);
  }
  const { strict, lenient } = file.decoders;
  const options = { stream: bytes !== null };
  try {
    if (file.state.isEncoded) strict.decode(own, options);
  } catch {
    file.state.isEncoded = false;
  }
  return lenient === null ? own : Buffer.from(lenient.decode(own, options));
}

/** Decides the encoding: a byte order mark counts more than the declared one. */
function open(file) {
  const mark = MARKS.find(({ bytes }) => file.head.subarray(0, bytes.length).equals(bytes));
  const encoding = mark?.encoding ?? file.state.encoding;
  file.state.encoding = encoding;
  file.decoders = {
    strict: new TextDecoder(encoding, { fatal: true }),
    // The parser replaces invalid UTF-8 itself.
    lenient: encoding === 'utf-8' ? null : new TextDecoder(encoding),
  };
  file.head = NO_BYTES;
}

/** Returns the cells of a line. An empty cell is null, unless it is quoted. */
function cellsOf({ delimiter }, { record, raw }) {
  return raw.includes('""') ? quotedCells(raw, delimiter) : record.map((cell) => (cell === '' ? null : cell));
}

/** Parses a record again to distinguish quoted cells from unquoted ones. This takes seven times as long. */
function quotedCells(raw, delimiter) {
  const [cells = []] = parseAll(raw, {
    bom: true,
    delimiter,
    record_delimiter: LINE_ENDS,
    relax_column_count: true,
    cast: (cell, { quoting }) => (cell === '' && !quoting ? null : cell),
  });
  return cells;
}
