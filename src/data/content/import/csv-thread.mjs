/**
 * Parses files of CSV (RFC 4180) in a thread of its own: it takes as long as everything else that is done with the rows before they are
 * written, and leaves more garbage than all of that. A file is a port: it is sent bytes as they come, and null behind the last of them,
 * and answers the records that are whole by then, whether all bytes were UTF-8 so far, and the first record that is none.
 */
import { parentPort } from 'node:worker_threads';
import { parse } from 'csv-parse';
import { parse as parseAll } from 'csv-parse/sync';

/** Number of bytes that are parsed at a stretch. */
const SLICE_BYTES = 16_384;

parentPort.on('message', ({ port, delimiter, mostRecordBytes }) => {
  let file = null;
  port.on('message', async (bytes) => {
    try {
      file ??= opened(delimiter, mostRecordBytes);
      const records = bytes === null ? await lastRecordsOf(file) : recordsOf(file, bytes);
      port.postMessage({ records, ...file.state });
    } catch {
      // It ends for this file alone.
      port.close();
    }
  });
});

function opened(delimiter, mostRecordBytes) {
  const state = { isUtf8: true, broken: null };
  const parser = parse({
    bom: true,
    delimiter,
    raw: true,
    relax_column_count: true,
    max_record_size: mostRecordBytes,
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error !== undefined) state.broken ??= { row: Number(error.records) + 1, code: error.code };
    },
  });
  // Told to who asks for what is left.
  parser.on('error', () => undefined);
  return { state, parser, delimiter, decoder: new TextDecoder('utf-8', { fatal: true }) };
}

/**
 * Parses bytes, a few at a time. What comes behind a record that is none is not parsed: of each slice of a record that is too long the
 * parser would make an error that holds all of it.
 */
function recordsOf(file, bytes) {
  const { state, parser } = file;
  if (state.broken !== null) return [];
  look(file, bytes);
  const records = [];
  for (let from = 0; from < bytes.length && state.broken === null; from += SLICE_BYTES) {
    parser.write(bytes.subarray(from, from + SLICE_BYTES));
    // To ask for each by an event of its own takes a third of the time of all.
    for (let next = parser.read(); next !== null; next = parser.read()) records.push(cellsOf(file, next));
  }
  return records;
}

async function lastRecordsOf(file) {
  look(file);
  file.parser.end();
  const records = [];
  for await (const next of file.parser) records.push(cellsOf(file, next));
  return records;
}

function look({ state, decoder }, bytes) {
  try {
    if (state.isUtf8) decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    state.isUtf8 = false;
  }
}

/** Returns the cells of a line. An empty cell is null, unless it is one of quotes. */
function cellsOf({ delimiter }, { record, raw }) {
  return raw.includes('""') ? quotedCells(raw, delimiter) : record.map((cell) => (cell === '' ? null : cell));
}

/** Reads a record once more and asks of each cell whether it is one of quotes, which takes seven times as long. */
function quotedCells(raw, delimiter) {
  const [cells = []] = parseAll(raw, {
    bom: true,
    delimiter,
    relax_column_count: true,
    cast: (cell, { quoting }) => (cell === '' && !quoting ? null : cell),
  });
  return cells;
}
