"""Texts that do harm where they are taken for HTML."""

HOSTILE = "</script><script>document.body.dataset.hacked = 1</script><!--"
HOSTILE_IMAGE = '<img src=x onerror="document.body.dataset.hacked = 1"> & "\' ${x} $title'
