"""Oracle packs: from files to the model that every stage reads, with a finding for whatever is wrong.

`assay.pack.load.load_pack` is the way in. The folder reads in the order of the work: `tree` and `paths` find the files,
`yaml_reader` and `json_reader` make documents whose every node has a place, `manifest`, `tools`, `templates`, `cases`,
`fixtures` and `held_out` turn documents into the types of `model`, `fingerprint` and `snapshot` fix what was read.
`filters`, `sources`, `keys` and `candidates` are the languages that templates bind values with.
"""
