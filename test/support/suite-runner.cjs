/**
 * Runs many test files as one suite. Jest gives each file a separate module registry, and loading the application costs more than most
 * files take. Results are still reported per file. See docs/internals/adr/0002.
 */
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join, relative } = require('node:path');
const { formatResultsErrors } = require('jest-message-util');
const { default: JestRunner } = require('jest-runner');

/**
 * Files per suite. Smaller suites load the application more often, larger ones distribute worse over the workers. Files that start
 * processes load little and take long.
 */
const MOST_FILES = { process: 1, otherwise: 14 };
/**
 * Files with calls that affect everything loaded with them run alone. So do files with hooks, because an application rejects hooks that it
 * does not have.
 */
const SAYS_FOR_ALL =
  /^\s*jest\.(retryTimes|mock|doMock|resetModules|isolateModules)\(|^ \* @jest-environment|@(?:On[A-Z]\w+|TokenClaim|PrepareWrite|BeforeWrite|AfterWrite|AfterCommit)\(|\/(?:library|life-diary)\.js'/m;
/** Estimated duration of files that have not run on this machine and set no timeout, in milliseconds. */
const UNKNOWN_MS = { process: 25_000, otherwise: 4_000 };
/** Typical share of a timeout: a file with a three-minute timeout takes about one minute. */
const OF_TIMEOUT = 1 / 3;
const TIMEOUT = /^jest\.setTimeout\(([\d_]+)\)/m;

/** Parts of a suite result that belong to no single file. */
const NOTHING_MORE = {
  console: undefined,
  coverage: undefined,
  v8Coverage: undefined,
  snapshot: { added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 },
};

module.exports = class SuiteRunner extends JestRunner {
  /** Suites by the path that Jest's runner gets instead of the files. */
  #suites = new Map();

  async runTests(tests, watcher, options) {
    const directory = mkdtempSync(join(tmpdir(), 'lintel-suites-'));
    try {
      const suites = suitesOf(tests).map((files, index) => makeSuite(files, join(directory, `suite-${index}.cjs`)));
      this.#suites = new Map(suites.map((suite) => [suite.path, suite]));
      // The longest first, so that no long suite starts when the other workers are nearly done.
      suites.sort((one, other) => other.duration - one.duration);
      await super.runTests(suites, watcher, options);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }

  /** Forwards the events of a suite as events of its files. */
  on(eventName, listener) {
    return super.on(eventName, async ([subject, ...rest]) => {
      const suite = this.#suites.get(typeof subject === 'string' ? subject : subject.path);
      if (suite === undefined) return listener([subject, ...rest]);
      if (typeof subject === 'string') {
        const [name, ...ancestorTitles] = rest[0].ancestorTitles;
        const file = suite.files.find((one) => nameOf(one) === name);
        return listener([file.path, { ...rest[0], ancestorTitles }]);
      }
      for (const file of suite.files) {
        await listener([file, ...(eventName === 'test-file-success' ? [this.#resultOf(file, suite, rest[0])] : rest)]);
      }
    });
  }

  /** Returns the results of one file. Output that belongs to no file is assigned to the first. */
  #resultOf(file, suite, result) {
    const name = nameOf(file);
    const testResults = result.testResults
      .filter(({ ancestorTitles }) => ancestorTitles[0] === name)
      .map((test) => ({
        ...test,
        ancestorTitles: test.ancestorTitles.slice(1),
        fullName: test.fullName.slice(name.length + 1),
      }));
    const count = (...states) => testResults.filter(({ status }) => states.includes(status)).length;
    const runtime = testResults.reduce((sum, { duration }) => sum + (duration ?? 0), 0);
    const { config } = file.context;
    return {
      ...result,
      ...(file === suite.files[0] ? {} : NOTHING_MORE),
      testFilePath: file.path,
      testResults,
      failureMessage: formatResultsErrors(testResults, config, this._globalConfig, file.path),
      numPassingTests: count('passed'),
      numFailingTests: count('failed'),
      numPendingTests: count('pending'),
      numTodoTests: count('todo'),
      skipped: testResults.length > 0 && testResults.every(({ status }) => status === 'pending'),
      perfStats: { ...result.perfStats, runtime, slow: runtime > config.slowTestThreshold * 1_000 },
    };
  }
};

/** Groups files in path order, so that suites are stable and group files by folder. */
function suitesOf(tests) {
  const alone = tests.filter(({ path }) => SAYS_FOR_ALL.test(readFileSync(path, 'utf8')));
  const projects = new Set(tests.map(({ context }) => context));
  const together = [...projects].map((project) =>
    tests
      .filter((test) => test.context === project && !alone.includes(test))
      .sort((one, other) => (one.path < other.path ? -1 : 1)),
  );
  return [...alone.map((test) => [test]), ...together.filter((files) => files.length > 0).flatMap(inParts)];
}

function inParts(files) {
  const size = Math.ceil(files.length / Math.ceil(files.length / ofKind(MOST_FILES, files[0])));
  return Array.from({ length: Math.ceil(files.length / size) }, (_, at) => files.slice(at * size, (at + 1) * size));
}

/** Creates the suite file: it requires the test files, each in a block named by its path. */
function makeSuite(files, path) {
  const duration = files.reduce((sum, file) => sum + (file.duration ?? guessedMs(file)), 0);
  const [{ context }] = files;
  const lines = files.map(
    (file) =>
      `describeFile(${[kindOf(file), nameOf(file), file.path].map((text) => JSON.stringify(text)).join(', ')});`,
  );
  const header = `const describeFile = require(${JSON.stringify(join(__dirname, 'describe-file.cjs'))});`;
  writeFileSync(path, [header, ...lines, ''].join('\n'));
  return { files, path, context, duration };
}

/** Estimates the duration of a file. The longest process tests set a timeout, so they start first even without recorded durations. */
function guessedMs(file) {
  const unknown = ofKind(UNKNOWN_MS, file);
  const timeout = TIMEOUT.exec(readFileSync(file.path, 'utf8'))?.[1].replaceAll('_', '');
  return unknown === UNKNOWN_MS.process && timeout !== undefined ? Number(timeout) * OF_TIMEOUT : unknown;
}

function ofKind(table, file) {
  return table[kindOf(file)] ?? table.otherwise;
}

function kindOf({ context }) {
  return context.config.displayName?.name ?? '';
}

function nameOf({ path, context }) {
  return relative(context.config.rootDir, path);
}
