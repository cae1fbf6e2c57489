import path from 'node:path'

import { summaryOf } from '../exported-project'
import type { ExportedProject } from '../exported-project'
import { joinTrees, treeIn, treeOf } from '../file-tree'
import type { FileTree } from '../file-tree'
import { applicationSource, modelData, modelRuns } from '../templates/cpp-application'
import { upperName } from '../templates/names'
import { codeBlock, noAsNeeded, readmeOf } from '../templates/readme'
import { ok } from '../../../contract/outcome'
import type { Form } from '../form'
import type { Proof } from '../proof/proof'

function packageFile(project: ExportedProject): string {
  const { name, manifest } = project
  return [
    '# The paths are relative to this file, so you can move the folder.',
    'prefix=${pcfiledir}/../..',
    'libdir=${prefix}/lib',
    '',
    `Name: ${name}`,
    `Description: ${summaryOf(manifest)}`,
    `Version: ${manifest.version}`,
    `Libs: -L\${libdir} -Wl,--no-as-needed -l${name} -Wl,-rpath,\${libdir}`,
  ].join('\n')
}

function makeLines(project: ExportedProject): string {
  const { name, toolchain } = project
  const upper = upperName(name)
  const { cxxStandard, cxx11Abi, hasCuda } = toolchain.libtorch
  return [
    `# The operators of ${name} for Makefiles:`,
    '#',
    `#   include path/to/${name}.mk`,
    `#   LINKFLAGS += $(${upper}_LINKFLAGS)`,
    '',
    `${upper}_DIR := $(patsubst %/,%,$(dir $(abspath $(lastword $(MAKEFILE_LIST)))))`,
    '',
    '# The folder of libtorch, with include/ and lib/.',
    "TORCH_DIR ?= $(shell python3 -c 'import torch; print(torch.__path__[0])')",
    '',
    `${upper}_CXXFLAGS = -std=c++${cxxStandard} -D_GLIBCXX_USE_CXX11_ABI=${cxx11Abi ? 1 : 0} \\`,
    '  -isystem $(TORCH_DIR)/include -isystem $(TORCH_DIR)/include/torch/csrc/api/include',
    '',
    '# --no-as-needed keeps the libraries, although no code uses their symbols.',
    '# -rpath names the folders in which the loader looks for the libraries.',
    `${upper}_TORCHFLAGS = -L$(TORCH_DIR)/lib -Wl,--no-as-needed -ltorch -ltorch_cpu${hasCuda ? ' -ltorch_cuda -lc10_cuda' : ''} -lc10 \\`,
    '  -Wl,-rpath,$(TORCH_DIR)/lib',
    `${upper}_LINKFLAGS = -L$(${upper}_DIR)/lib -Wl,--no-as-needed -l${name} \\`,
    `  -Wl,-rpath,$(${upper}_DIR)/lib $(${upper}_TORCHFLAGS)`,
  ].join('\n')
}

function exampleMakefile(project: ExportedProject): string {
  const { name } = project
  const upper = upperName(name)
  const runs = modelRuns(project).flatMap(({ text, model, call, tolerances }) => [
    `\t@echo "${text.replace(/["$`\\]/g, '')}"`,
    `\t./run_call ${model} ${call}${tolerances}`,
  ])
  return [
    '# Builds an application that is linked with the operators:',
    '#',
    '#   make check              builds and runs the application with the flags of the .mk file',
    '#   make check-pkg-config   builds and runs the application with the flags of the .pc file',
    '',
    `include ../${name}.mk`,
    '',
    'CXXFLAGS ?= -O1',
    'PKG_CONFIG ?= pkg-config',
    '',
    'run_call: run_call.o',
    `\t$(CXX) $< -o $@ $(LDFLAGS) $(${upper}_LINKFLAGS)`,
    '',
    'run_call_pkg_config: run_call.o',
    `\t$(CXX) $< -o $@ $(LDFLAGS) \\`,
    `\t  $$(PKG_CONFIG_PATH=../lib/pkgconfig $(PKG_CONFIG) --libs ${name}) $(${upper}_TORCHFLAGS)`,
    '',
    'run_call.o: run_call.cpp',
    `\t$(CXX) $(CXXFLAGS) $(${upper}_CXXFLAGS) -c $< -o $@`,
    '',
    '.PHONY: check check-pkg-config clean',
    'check: run_call',
    ...runs,
    '',
    'check-pkg-config: run_call_pkg_config',
    ...runs.map((line) => line.replace('./run_call ', './run_call_pkg_config ')),
    '',
    'clean:',
    '\trm -f run_call run_call_pkg_config run_call.o',
  ].join('\n')
}

function readme(project: ExportedProject): string {
  const { name } = project
  const upper = upperName(name)
  return readmeOf(project, `${name} for make and pkg-config`, [
    noAsNeeded.join('\n'),
    '## make',
    codeBlock(
      'make',
      `include path/to/${name}.mk`,
      `CXXFLAGS += $(${upper}_CXXFLAGS)    # for sources that include libtorch`,
      `LINKFLAGS += $(${upper}_LINKFLAGS)`,
    ),
    '`TORCH_DIR` is the folder of libtorch. If TORCH_DIR is not set, make asks `python3` for the folder.',
    '## LAMMPS',
    'In `src/MAKE/Makefile.mpi`, add these lines below `LINKFLAGS =`. Use an absolute path, because LAMMPS builds in another folder:',
    codeBlock(
      'make',
      `include /path/to/${name}.mk`,
      `CCFLAGS += $(${upper}_CXXFLAGS)`,
      `LINKFLAGS += $(${upper}_LINKFLAGS)`,
      '# If the linker complains about GNU_PROPERTY_TYPE of a newer libstdc++:',
      'LINKFLAGS += -static-libstdc++ -static-libgcc',
    ),
    'The library does not use Python, so `-lpython3.x` is not needed.',
    '## pkg-config',
    codeBlock(
      'shell',
      `export PKG_CONFIG_PATH=path/to/lib/pkgconfig`,
      'TORCH_LIB=/path/to/torch/lib',
      `c++ main.o -o application $(pkg-config --libs ${name}) \\`,
      '  -L$TORCH_LIB -Wl,-rpath,$TORCH_LIB -ltorch -ltorch_cpu -lc10',
    ),
    'These flags set run-paths, so the loader finds the library and libtorch. If you move a library later, set:',
    codeBlock('shell', 'export LD_LIBRARY_PATH=path/to/lib:/path/to/torch/lib'),
    '`example/` is an application. `make -C example check` links it with the flags for make, `make -C example check-pkg-config` with those of pkg-config.',
  ])
}

/** The built library with the flags that link it: a pkg-config file, and lines for a Makefile. */
function linkFiles(project: ExportedProject): FileTree {
  const { name } = project
  return joinTrees(
    treeOf({
      [`lib/lib${name}.so`]: project.library,
      [`lib/pkgconfig/${name}.pc`]: packageFile(project),
      [`${name}.mk`]: makeLines(project),
      'README.md': readme(project),
      'example/Makefile': exampleMakefile(project),
      'example/run_call.cpp': applicationSource.replaceAll('example_app', 'run_call'),
    }),
    treeIn('example', modelData(project)),
  )
}

/** An application that is linked by flags alone: by the Makefile's, and by pkg-config's. */
async function proveMake(proof: Proof): Promise<void> {
  const { make, pkgConfig, libtorch } = proof.tools
  if (!proof.has(make, 'build and run with make')) return
  const example = path.join(proof.folder, 'example')
  const command = [make.path, '-C', example, `TORCH_DIR=${libtorch}`]
  if (!(await proof.run('build with the Makefile lines', [[...command, 'run_call']]))) return
  const runs = modelRuns(proof.project)
  if (runs.length === 0) {
    proof.skip('calls in C++', 'opsmith.json has no call that could be saved as a model')
  } else {
    await proof.run(`calls in C++ (${runs.length})`, [[...command, 'check']])
  }
  if (proof.has(pkgConfig, 'build and run with pkg-config')) {
    await proof.run('build and run with pkg-config', [[...command, 'check-pkg-config']])
  }
}

export const form: Form = {
  id: 'link',
  order: 9,
  purpose: 'A pkg-config file and Makefile lines, for builds without CMake',
  needs: '',
  tools: ['make', 'pkgConfig'],
  files: (project) => ok(linkFiles(project)),
  prove: proveMake,
}
