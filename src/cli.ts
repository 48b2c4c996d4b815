#!/usr/bin/env node
import { runProgram } from './edge/cli/run-program.js';

await runProgram(process.argv);
