import 'reflect-metadata';
import { createProgram } from './cli/program.js';
import { runProgram } from './cli/run-program.js';

void runProgram(createProgram(), process.argv);
